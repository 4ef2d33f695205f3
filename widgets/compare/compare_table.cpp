#include "widgets/compare/compare_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>

#include "core/base/csv.h"
#include "widgets/compare/bar_delegate.h"

namespace hw {
namespace {

/// The verdict of a row that failed may be long; it starts no wider than this.
constexpr int kWidestColumn = 240;

}  // namespace

CompareTable::CompareTable(CompareModel* model, QWidget* parent)
    : QTableView(parent), model_(model), order_(new CompareOrder(this)) {
  order_->setSourceModel(model);
  setModel(order_);
  setObjectName(QStringLiteral("compareTable"));
  setAccessibleName(tr("Comparison of plans"));
  setSelectionBehavior(QTableView::SelectRows);
  setSelectionMode(QTableView::SingleSelection);
  setTabKeyNavigation(false);
  setShowGrid(false);
  setWordWrap(false);
  setAlternatingRowColors(true);
  setFrameShape(QFrame::NoFrame);
  setMinimumHeight(3 * fontMetrics().height());
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(fontMetrics().height() + 2);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
  horizontalHeader()->setHighlightSections(false);
  // Who has no plan should say so without scrolling.
  horizontalHeader()->moveSection(CompareModel::verdict, CompareModel::gap + 1);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  setSortingEnabled(true);
  auto* bars = new BarDelegate(this);
  for (const int column : {CompareModel::peak, CompareModel::gap, CompareModel::latency}) {
    setItemDelegateForColumn(column, bars);
  }
  horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(horizontalHeader(), &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    QMenu* menu = columnMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(horizontalHeader()->mapToGlobal(at));
  });
}

int CompareTable::currentRow() const {
  return currentIndex().isValid() ? rowOf(currentIndex()) : -1;
}

void CompareTable::goTo(int row) {
  if (row < 0) {
    clearSelection();
    return;
  }
  setCurrentIndex(order_->mapFromSource(model_->index(row, 0)));
}

void CompareTable::arrangeColumns() {
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    const auto choice = wanted_.find(column);
    const bool hidden = choice == wanted_.end() ? model_->isIdle(column) : !choice->second;
    setColumnHidden(column, hidden);
  }
  resizeColumnsToContents();
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    if (isColumnHidden(column)) continue;
    setColumnWidth(column, std::min(kWidestColumn, columnWidth(column) + 8));
  }
}

void CompareTable::setColumnWanted(int column, bool wanted) {
  wanted_[column] = wanted;
  arrangeColumns();
  Q_EMIT wantedColumnsChanged();
}

QString CompareTable::wantedColumns() const {
  QStringList words;
  for (const auto& [column, wanted] : wanted_) {
    words.append(columnInfo(static_cast<CompareColumn>(column)).key +
                 (wanted ? QLatin1String("=yes") : QLatin1String("=no")));
  }
  return words.join(QLatin1Char(' '));
}

void CompareTable::setWantedColumns(const QString& text) {
  wanted_.clear();
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    if (column == CompareModel::allocator) continue;  // Always there.
    const QString key = columnInfo(static_cast<CompareColumn>(column)).key;
    if (words.contains(key + QLatin1String("=yes"))) wanted_[column] = true;
    if (words.contains(key + QLatin1String("=no"))) wanted_[column] = false;
  }
  arrangeColumns();
}

QMenu* CompareTable::columnMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    const ColumnInfo info = columnInfo(static_cast<CompareColumn>(column));
    QAction* action = menu->addAction(info.title);
    action->setObjectName(info.key);
    action->setToolTip(info.meaning);
    action->setCheckable(true);
    action->setChecked(!isColumnHidden(column));
    // Without names nobody knows what the rows are.
    action->setEnabled(column != CompareModel::allocator);
    connect(action, &QAction::toggled, this,
            [this, column](bool on) { setColumnWanted(column, on); });
  }
  menu->setToolTipsVisible(true);
  menu->addSeparator();
  connect(menu->addAction(tr("&As they are needed")), &QAction::triggered, this, [this] {
    wanted_.clear();
    arrangeColumns();
    Q_EMIT wantedColumnsChanged();
  });
  return menu;
}

/// Exact numbers, where the screen rounds them; words without their marks.
QString CompareTable::cellCsv(int row, int column) const {
  const ComparisonRow& one = *model_->row(row);
  const auto kind = static_cast<CompareColumn>(column);
  if (const auto value = columnFigure(one, kind)) return QString::number(*value, 'g', 15);
  if (kind == CompareColumn::allocator) return QString::fromStdString(one.allocator.text());
  if (!isWords(kind) && kind != CompareColumn::shown) return {};
  return model_->index(row, column).data().toString();
}

QString CompareTable::toCsv() const {
  std::vector<int> columns;
  for (int place = 0; place < CompareModel::kColumns; ++place) {
    const int column = horizontalHeader()->logicalIndex(place);
    if (!isColumnHidden(column)) columns.push_back(column);
  }
  std::string text;
  const auto addLine = [&](const auto& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      text += (i == 0 ? "" : ",") + csvField(cell(columns[i]).toStdString());
    }
    text += "\n";
  };
  addLine([](int column) { return columnInfo(static_cast<CompareColumn>(column)).key; });
  for (int place = 0; place < order_->rowCount(); ++place) {
    const int row = rowOf(order_->index(place, 0));
    addLine([&](int column) { return cellCsv(row, column); });
  }
  return QString::fromStdString(text);
}

void CompareTable::copy() const { QApplication::clipboard()->setText(toCsv()); }

void CompareTable::keyPressEvent(QKeyEvent* event) {
  const int row = currentRow();
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (event->matches(QKeySequence::Copy)) {
    copy();
  } else if (enter && row >= 0) {
    Q_EMIT openWanted(row);
  } else if (event->key() == Qt::Key_Space && row >= 0) {
    Q_EMIT belowToggled(row);
  } else {
    QTableView::keyPressEvent(event);
  }
}

/// Keys that the window has other uses for belong to the table while it has the focus.
bool CompareTable::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = key->modifiers() == Qt::NoModifier;
    const bool own = key->key() == Qt::Key_Space || key->key() == Qt::Key_Home ||
                     key->key() == Qt::Key_End || key->key() == Qt::Key_Left ||
                     key->key() == Qt::Key_Right;
    if ((plain && own) || key->matches(QKeySequence::Copy)) {
      event->accept();
      return true;
    }
  }
  return QTableView::event(event);
}

void CompareTable::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex at =
      event->reason() == QContextMenuEvent::Mouse ? indexAt(event->pos()) : currentIndex();
  if (at.isValid()) Q_EMIT menuWanted(rowOf(at), event->globalPos());
}

}  // namespace hw
