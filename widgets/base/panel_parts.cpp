#include "widgets/base/panel_parts.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QProgressBar>
#include <QScreen>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/text/text.h"

namespace hw {

/// A panel behind another tab is still visible to Qt, but moved to a place outside the window: that
/// is what is asked for. The visible region would be empty for a widget whose children cover it
/// whole, though these are what one sees of it.
bool isSeen(const QWidget* widget) {
  const QWidget* window = widget->window();
  const QRect place(widget->mapTo(window, QPoint()), widget->size());
  return widget->isVisible() && place.intersects(window->rect());
}

SeenWatch::SeenWatch(QWidget* widget, std::function<void()> act)
    : QObject(widget), act_(std::move(act)) {
  widget->installEventFilter(this);
}

bool SeenWatch::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show) act_();
  if (event->type() == QEvent::Paint && !told_) {
    told_ = true;
    const auto act = [this] {
      told_ = false;
      act_();
    };
    QMetaObject::invokeMethod(this, act, Qt::QueuedConnection);
  }
  return QObject::eventFilter(watched, event);
}

void dressTable(QTableView* table, int air) {
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
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

void fillRows(QTableWidget* table, const QStringList& columns,
              const std::vector<QStringList>& rows) {
  const QSignalBlocker quiet(table);
  table->setEditTriggers(QTableView::NoEditTriggers);
  table->setColumnCount(static_cast<int>(columns.size()));
  table->setHorizontalHeaderLabels(columns);
  table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->setRowCount(static_cast<int>(rows.size()));
  for (int row = 0; row < table->rowCount(); ++row) {
    const QStringList& cells = rows[static_cast<std::size_t>(row)];
    for (int column = 0; column < table->columnCount(); ++column) {
      auto* item = new QTableWidgetItem(cells.value(column));
      item->setToolTip(plainTip(item->text()));
      if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table->setItem(row, column, item);
    }
  }
  table->resizeColumnsToContents();
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
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

QLabel* strongLabel(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  QFont font = label->font();
  font.setWeight(QFont::DemiBold);
  label->setFont(font);
  return label;
}

QLabel* mutedLabel(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
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

void scrollWithContext(QTableView* table, const QModelIndex& index) {
  const QRect row = table->visualRect(index);
  const int margin = std::min(2 * row.height(), table->viewport()->height() / 4);
  const QRect inside = table->viewport()->rect().adjusted(0, margin, 0, -margin);
  if (row.top() >= inside.top() && row.bottom() <= inside.bottom()) return;
  table->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

namespace {

constexpr QSize kPanelSize{260, 320};

}  // namespace

DropDown::DropDown(QWidget* content, QWidget* parent)
    : QToolButton(parent), content_(content), panel_(new QFrame(this, Qt::Popup)) {
  setPopupMode(QToolButton::InstantPopup);
  setArrowType(Qt::NoArrow);
  panel_->setFrameShape(QFrame::StyledPanel);
  panel_->hide();
  auto* layout = new QVBoxLayout(panel_);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(content_);
  panel_->installEventFilter(this);
  connect(this, &QToolButton::clicked, this, &DropDown::open);
}

void popUnder(QWidget* popup, const QWidget* widget, const QRect& place) {
  const QRect room = widget->screen()->availableGeometry();
  QPoint at = widget->mapToGlobal(QPoint(place.left(), place.bottom() + 1));
  if (at.y() + popup->height() > room.bottom()) {
    at.setY(std::max(room.top(), widget->mapToGlobal(place.topLeft()).y() - popup->height()));
  }
  at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - popup->width())));
  popup->move(at);
  popup->show();
}

void DropDown::open() {
  panel_->resize(kPanelSize.expandedTo(panel_->sizeHint()));
  popUnder(panel_, this, rect());
  content_->setFocus();
}

bool DropDown::eventFilter(QObject* watched, QEvent* event) {
  if (watched == panel_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    panel_->hide();
    setFocus();
    return true;
  }
  return QToolButton::eventFilter(watched, event);
}

}  // namespace hw
