#include "widgets/compare/compare_picture.h"

#include <QHeaderView>
#include <algorithm>
#include <numeric>

#include "widgets/base/theme.h"
#include "widgets/compare/compare_model.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kGap = 14;       ///< Between columns.
constexpr int kBarWidth = 70;  ///< Left of a figure that has a bar.
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
                        [](int sum, const Column& c) { return sum + c.width + kGap; });
    return {std::max(width, metrics_.horizontalAdvance(stamp_) + kGap) + 2 * kTableMargin,
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
      if (data(row, column, CompareModel::kBarRole).isValid()) return true;
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
    const int gaps = kGap * (static_cast<int>(columns_.size()) - 1);
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
      left += column.width + kGap;
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
    const bool best = data(index, columns_.front().index, CompareModel::kBestRole).toBool();
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
    const QVariant share = data(row, column, CompareModel::kBarRole);
    if (!share.isValid()) return;
    const Theme& theme = Theme::current();
    const bool best = data(row, column, CompareModel::kBestRole).toBool();
    QColor color = best ? theme.lowerBound : theme.highWater;
    color.setAlpha(theme.dark ? 120 : 80);
    const double room = std::max(0, std::min(kBarWidth, cell.width() - 60)) - 4;
    const QRectF bar(cell.left(), cell.top() + 4, room * share.toDouble(), cell.height() - 8);
    if (room > 0) painter.fillRect(bar, color);
    const QVariant mark = data(row, column, CompareModel::kMarkRole);
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
