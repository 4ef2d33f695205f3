#include "widgets/base/bar_delegate.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

#include "widgets/base/style.h"
#include "widgets/base/theme.h"

namespace hw {

namespace {

/// In a narrower column bars of different length would look alike.
constexpr int kLeastWidth = 112;
constexpr int kCellMargin = 3;

/// The cell without its text, so that the bar lies between its background and its figure.
void drawBackground(QPainter& painter, QStyleOptionViewItem option) {
  option.text.clear();
  const QWidget* widget = option.widget;
  const QStyle* style = widget != nullptr ? widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &option, &painter, widget);
}

}  // namespace

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QVariant share = index.data(kShareRole);
  if (!share.isValid()) {
    QStyledItemDelegate::paint(painter, option, index);
    return;
  }
  drawBackground(*painter, cell);
  const Theme& theme = Theme::current();
  // The figure has a place of its own, so that no line crosses it.
  const int figure = QFontMetrics(cell.font).horizontalAdvance(QStringLiteral("88.88 MiB")) + 8;
  const QRect cellRoom = cell.rect.adjusted(kCellMargin, kCellMargin, -kCellMargin, -kCellMargin);
  const QRect room = cellRoom.adjusted(0, 0, -std::min(figure, cellRoom.width()), 0);
  const bool best = index.data(kBestRole).toBool();
  QColor color = best ? theme.lowerBound : theme.highWater;
  color.setAlpha(theme.dark ? 120 : 80);
  painter->save();
  const int width = qRound(room.width() * share.toDouble());
  painter->fillRect(QRect(room.left(), room.top(), width, room.height()), color);
  const QVariant mark = index.data(kMarkRole);
  if (mark.isValid() && room.width() > kCellMargin) {
    const int x = room.left() + qRound(room.width() * mark.toDouble());
    painter->setPen(QPen(theme.lowerBound, 2));
    painter->drawLine(x, room.top() - 1, x, room.bottom() + 1);
  }
  painter->setPen(itemColor(cell, QPalette::Text));
  painter->setFont(cell.font);
  painter->drawText(cellRoom.adjusted(0, 0, -3, 0), Qt::AlignRight | Qt::AlignVCenter, cell.text);
  painter->restore();
}

QSize BarDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index).expandedTo(QSize(kLeastWidth, 0));
}

}  // namespace hw
