#include "widgets/compare/compare_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>

#include "widgets/base/list_page.h"
#include "widgets/compare/bar_delegate.h"
#include "widgets/tables/table_file.h"

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
  dressTable(this);
  setTabKeyNavigation(false);
  setMinimumHeight(3 * fontMetrics().height());
  verticalHeader()->setMinimumSectionSize(fontMetrics().height() + 2);
  horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  // Near the front, so that one sees without scrolling that a row has no plan.
  horizontalHeader()->moveSection(CompareModel::verdict, CompareModel::gap + 1);
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
  QHeaderView* header = horizontalHeader();
  header->moveSection(header->visualIndex(model_->ranked()), CompareModel::shown + 1);
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
    words.append(QString::fromStdString(model_->columnOf(column).key) +
                 (wanted ? QLatin1String("=yes") : QLatin1String("=no")));
  }
  return words.join(QLatin1Char(' '));
}

void CompareTable::setWantedColumns(const QString& text) {
  wanted_.clear();
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    if (column == CompareModel::allocator) continue;  // Always there.
    const QString key = QString::fromStdString(model_->columnOf(column).key);
    if (words.contains(key + QLatin1String("=yes"))) wanted_[column] = true;
    if (words.contains(key + QLatin1String("=no"))) wanted_[column] = false;
  }
  arrangeColumns();
}

QMenu* CompareTable::columnMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    QAction* action = menu->addAction(model_->title(column));
    action->setObjectName(QString::fromStdString(model_->columnOf(column).key));
    action->setToolTip(model_->meaning(column));
    action->setCheckable(true);
    action->setChecked(!isColumnHidden(column));
    // Rows need their names.
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

QString CompareTable::toCsv() const {
  TableSource shown = *model_->source();
  shown.columns.clear();
  for (int place = 0; place < CompareModel::kColumns; ++place) {
    const int column = horizontalHeader()->logicalIndex(place);
    // A copy without these settings would not say what the figures are of.
    if (!isColumnHidden(column) || column == CompareModel::options) {
      shown.columns.push_back(model_->columnOf(column));
    }
  }
  std::vector<std::uint32_t> rows;
  for (int place = 0; place < order_->rowCount(); ++place) {
    rows.push_back(static_cast<std::uint32_t>(rowOf(order_->index(place, 0))));
  }
  return QString::fromUtf8(tableCsv(shown, rows));
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
