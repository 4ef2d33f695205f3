#include "widgets/panels/list_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

namespace hw {

void fillListPanel(QWidget* panel, QStackedWidget* stack, QLabel* empty, QTableWidget* table,
                   std::initializer_list<QPushButton*> buttons) {
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setAlternatingRowColors(true);
  table->setShowGrid(false);
  table->setFrameShape(QFrame::NoFrame);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(panel->fontMetrics().height() + 4);
  table->horizontalHeader()->setHighlightSections(false);
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  empty->setMargin(12);
  auto* page = new QWidget(panel);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 3, 8, 3);
  for (QPushButton* button : buttons) line->addWidget(button);
  line->addStretch(1);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(line);
  column->addWidget(table, 1);
  stack->addWidget(empty);
  stack->addWidget(page);
  auto* layout = new QVBoxLayout(panel);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack);
}

}  // namespace hw
