#include "widgets/base/list_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

namespace hw {

void dressTable(QTableView* table, int air) {
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setAlternatingRowColors(true);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->setTabKeyNavigation(false);  // Tab goes to the next panel, not through all cells.
  table->setFrameShape(QFrame::NoFrame);
  table->verticalHeader()->hide();
  table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + air);
  table->horizontalHeader()->setHighlightSections(false);
}

void dressResultTable(QTableView* table) {
  dressTable(table);
  table->setTextElideMode(Qt::ElideMiddle);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
}

void fitColumns(QTableView* table) {
  constexpr int kWidest = 44;  // In average letters.
  constexpr int kMeasuredRows = 200;
  QHeaderView* header = table->horizontalHeader();
  header->setResizeContentsPrecision(kMeasuredRows);
  table->resizeColumnsToContents();
  const int widest = kWidest * table->fontMetrics().averageCharWidth();
  for (int column = 0; column < header->count(); ++column) {
    table->setColumnWidth(column, std::clamp(table->columnWidth(column) + 12, 60, widest));
  }
}

void fillListPanel(QWidget* panel, QStackedWidget* stack, QLabel* empty, QTableWidget* table,
                   std::initializer_list<QPushButton*> buttons) {
  dressTable(table);
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
