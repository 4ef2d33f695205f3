#include "widgets/compare/compare_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <algorithm>
#include <array>
#include <numeric>

#include "widgets/base/bar_delegate.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/tables/table_source.h"
#include "widgets/text/text.h"

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
    setColumnHidden(column, !isWanted(column));
  }
  resizeColumnsToContents();
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    if (isColumnHidden(column)) continue;
    setColumnWidth(column, std::min(kWidestColumn, columnWidth(column) + 8));
  }
  hideWhatHasNoRoom();
}

bool CompareTable::isWanted(int column) const {
  const auto choice = wanted_.find(column);
  return choice == wanted_.end() ? !model_->isIdle(column) : choice->second;
}

/// Takes the width that is missing from bars first, then from the ends of names: figures stay.
void CompareTable::narrowTo(int room, const std::vector<int>& columns, int figure) {
  int over = -room;
  for (const int column : columns) over += isColumnHidden(column) ? 0 : columnWidth(column);
  const std::array<std::pair<int, int>, 3> spare = {{{CompareModel::latency, figure},
                                                     {CompareModel::peak, figure},
                                                     {CompareModel::allocator, 80}}};
  for (const auto& [column, least] : spare) {
    if (isColumnHidden(column) || over <= 0) continue;
    const int less = std::clamp(columnWidth(column) - least, 0, over);
    setColumnWidth(column, columnWidth(column) - less);
    over -= less;
  }
}

/// Hides columns that do not fit and that nobody has chosen, so that the table does not scroll to
/// the side. One that fits without its bar stays.
void CompareTable::hideWhatHasNoRoom() {
  if (!isVisible()) return;
  std::vector<int> kept{CompareModel::allocator, CompareModel::shown, CompareModel::platform,
                        CompareModel::capacity, CompareModel::peak};
  if (!std::ranges::count(kept, model_->ranked())) kept.push_back(model_->ranked());
  bool allFit = true;
  for (int row = 0; row < model_->rowCount(); ++row) allFit = allFit && model_->row(row)->fits();
  const int figure = fontMetrics().horizontalAdvance(QStringLiteral("888.8 MiB")) + 6;
  const QHeaderView* header = horizontalHeader();
  int room = viewport()->width();
  narrowTo(room, kept, figure);
  for (int place = 0; place < CompareModel::kColumns; ++place) {
    const int column = header->logicalIndex(place);
    if (isColumnHidden(column)) continue;
    room -= columnWidth(column);
    const bool needed = std::ranges::count(kept, column) > 0 || wanted_.contains(column) ||
                        (column == CompareModel::verdict && !allFit);
    if (room >= 0 || needed) continue;
    const int left = room + columnWidth(column);
    if (left >= figure) {
      setColumnWidth(column, left);
    } else {
      setColumnHidden(column, true);
    }
  }
}

void CompareTable::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) arrangeColumns();
}

void CompareTable::showEvent(QShowEvent* event) {
  QTableView::showEvent(event);
  arrangeColumns();
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
    action->setChecked(isWanted(column));
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
    if (isWanted(column) || column == CompareModel::options) {
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

namespace {

constexpr int kColumnGap = 14;  ///< Between columns.
constexpr int kBarWidth = 70;   ///< Left of a figure that has a bar.
constexpr int kTableMargin = 10;
constexpr int kMostText = 300;  ///< No column is wider, whatever it says.

/// The table as it is to be drawn.
class TablePicture {
 public:
  TablePicture(const QTableView& table, QString stamp, const QFont& font, QPaintDevice* device)
      : model_(*table.model()),
        stamp_(std::move(stamp)),
        plain_(font),
        bold_(font),
        metrics_(font, device) {
    bold_.setBold(true);
    for (int visual = 0; visual < model_.columnCount(); ++visual) {
      const int column = table.horizontalHeader()->logicalIndex(visual);
      if (!table.isColumnHidden(column)) columns_.push_back({column, hasBars(column), 0});
    }
    for (Column& column : columns_) column.width = naturalWidth(column);
  }

  QSize size() const {
    const int width =
        std::accumulate(columns_.begin(), columns_.end(), 0,
                        [](int sum, const Column& c) { return sum + c.width + kColumnGap; });
    return {std::max(width, metrics_.horizontalAdvance(stamp_) + kColumnGap) + 2 * kTableMargin,
            rowHeight() * (model_.rowCount() + 3) + 2 * kTableMargin};
  }

  void paint(QPainter& painter, const QRect& target) {
    shrinkTo(target.width() - 2 * kTableMargin);
    QRect row(target.left() + kTableMargin, target.top() + kTableMargin,
              target.width() - 2 * kTableMargin, rowHeight());
    painter.setPen(Theme::current().mutedText);
    drawText(painter, row, stamp_, Qt::AlignLeft);
    row.translate(0, rowHeight());
    for (const auto& [column, box] : cells(row)) {
      const auto title = model_.headerData(column.index, Qt::Horizontal, Qt::DisplayRole);
      drawText(painter, box, title.toString(), alignment(column));
    }
    painter.setPen(Theme::current().grid);
    painter.drawLine(row.bottomLeft(), row.bottomRight());
    for (int index = 0; index < model_.rowCount(); ++index) {
      row.translate(0, rowHeight());
      if (row.bottom() + rowHeight() > target.bottom() && index + 1 < model_.rowCount()) {
        painter.setPen(Theme::current().mutedText);
        painter.setFont(plain_);
        painter.drawText(row, Qt::AlignVCenter, tr("%1 more").arg(model_.rowCount() - index));
        return;
      }
      paintRow(painter, row, index);
    }
  }

 private:
  struct Column {
    int index;
    bool bars;
    int width;
  };

  int rowHeight() const { return metrics_.height() + 8; }

  QVariant data(int row, int column, int role) const {
    return model_.data(model_.index(row, column), role);
  }

  bool hasBars(int column) const {
    for (int row = 0; row < model_.rowCount(); ++row) {
      if (data(row, column, BarDelegate::kShareRole).isValid()) return true;
    }
    return false;
  }

  int naturalWidth(const Column& column) const {
    const QFontMetrics bold(bold_);
    int width = bold.horizontalAdvance(
        model_.headerData(column.index, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < model_.rowCount(); ++row) {
      const QString text = data(row, column.index, Qt::DisplayRole).toString();
      width = std::max(width, bold.horizontalAdvance(text));
    }
    return std::min(width + 4, kMostText) + (column.bars ? kBarWidth : 0);
  }

  /// Takes from the widest columns until all fit: narrow ones hold figures, which must be whole.
  void shrinkTo(int room) {
    const int gaps = kColumnGap * (static_cast<int>(columns_.size()) - 1);
    int used = std::accumulate(columns_.begin(), columns_.end(), gaps,
                               [](int sum, const Column& column) { return sum + column.width; });
    while (used > room && !columns_.empty()) {
      const auto widest = std::ranges::max_element(columns_, {}, &Column::width);
      if (widest->width <= 24) break;
      --widest->width;
      --used;
    }
  }

  std::vector<std::pair<Column, QRect>> cells(const QRect& row) const {
    std::vector<std::pair<Column, QRect>> cells;
    int left = row.left();
    for (const Column& column : columns_) {
      cells.emplace_back(column, QRect(left, row.top(), column.width, row.height()));
      left += column.width + kColumnGap;
    }
    return cells;
  }

  Qt::Alignment alignment(const Column& column) const {
    const QVariant value = model_.headerData(column.index, Qt::Horizontal, Qt::TextAlignmentRole);
    return value.isValid() ? Qt::Alignment(value.toInt()) : Qt::AlignLeft | Qt::AlignVCenter;
  }

  void drawText(QPainter& painter, const QRect& box, const QString& text, Qt::Alignment align) {
    const QFontMetrics metrics(painter.font(), painter.device());
    painter.drawText(box, static_cast<int>((align & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter),
                     metrics.elidedText(text, Qt::ElideRight, box.width()));
  }

  void paintRow(QPainter& painter, const QRect& row, int index) {
    const Theme& theme = Theme::current();
    const bool best = data(index, columns_.front().index, BarDelegate::kBestRole).toBool();
    painter.setFont(best ? bold_ : plain_);
    for (const auto& [column, box] : cells(row)) {
      if (column.bars) paintBar(painter, box, index, column.index);
      painter.setPen(theme.text);
      const QVariant align = data(index, column.index, Qt::TextAlignmentRole);
      drawText(painter, box, data(index, column.index, Qt::DisplayRole).toString(),
               align.isValid() ? Qt::Alignment(align.toInt()) : alignment(column));
    }
    painter.setFont(plain_);
    painter.setPen(theme.grid);
    painter.drawLine(row.bottomLeft(), row.bottomRight());
  }

  void paintBar(QPainter& painter, const QRect& cell, int row, int column) {
    const QVariant share = data(row, column, BarDelegate::kShareRole);
    if (!share.isValid()) return;
    const Theme& theme = Theme::current();
    const bool best = data(row, column, BarDelegate::kBestRole).toBool();
    QColor color = best ? theme.lowerBound : theme.highWater;
    color.setAlpha(theme.dark ? 120 : 80);
    const double room = std::max(0, std::min(kBarWidth, cell.width() - 60)) - 4;
    const QRectF bar(cell.left(), cell.top() + 4, room * share.toDouble(), cell.height() - 8);
    if (room > 0) painter.fillRect(bar, color);
    const QVariant mark = data(row, column, BarDelegate::kMarkRole);
    if (!mark.isValid() || room <= 0) return;
    const double x = cell.left() + room * mark.toDouble();
    painter.setPen(QPen(theme.lowerBound, 1.5));
    painter.drawLine(QPointF(x, bar.top() - 1), QPointF(x, bar.bottom() + 1));
  }

  const QAbstractItemModel& model_;
  QString stamp_;
  QFont plain_;
  QFont bold_;
  QFontMetrics metrics_;
  std::vector<Column> columns_;
};

}  // namespace

QSize comparisonSize(const QTableView& table, const QString& stamp) {
  QFont font = table.font();
  font.setPixelSize(12);
  return TablePicture(table, stamp, font, nullptr).size().expandedTo({320, 120});
}

void paintComparison(QPainter& painter, const QRect& target, const QTableView& table,
                     const QString& stamp) {
  painter.fillRect(target, Theme::current().plot);
  if (!table.model() || table.model()->rowCount() == 0) {
    painter.setPen(Theme::current().mutedText);
    painter.drawText(target, Qt::AlignCenter, tr("Nothing has been compared yet"));
    return;
  }
  TablePicture(table, stamp, painter.font(), painter.device()).paint(painter, target);
}

}  // namespace hw
