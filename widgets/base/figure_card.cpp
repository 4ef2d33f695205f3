#include "widgets/base/figure_card.h"

#include <QPainter>
#include <algorithm>

#include "widgets/base/theme.h"

namespace hw {

namespace {

constexpr int kCardPadding = 10;
constexpr int kCardBar = 4;
constexpr double kCardRadius = 8;
// Of letters, by those of the window.
constexpr double kFigureScale = 1.4;
constexpr double kSentenceScale = 1.12;
constexpr double kSmallScale = 0.92;
constexpr int kCurveWidth = 110;
constexpr double kDot = 3.5;

}  // namespace

FigureCard::FigureCard(QWidget* parent) : QAbstractButton(parent) {
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAttribute(Qt::WA_Hover);
}

void FigureCard::setFigure(const Figure& figure) {
  figure_ = figure;
  setToolTip(figure.toolTip);
  QString name = QStringLiteral("%1: %2").arg(figure.label, figure.value);
  if (!figure.meaning.isEmpty()) name += QStringLiteral(", ") + figure.meaning;
  setAccessibleName(name);
  updateGeometry();
  update();
}

void FigureCard::setCompact(bool compact) {
  if (compact == compact_) return;
  compact_ = compact;
  updateGeometry();
  update();
}

double FigureCard::valueScale() const {
  return compact_ || figure_.isSentence ? kSentenceScale : kFigureScale;
}

QSize FigureCard::sizeHint() const {
  const int line = fontMetrics().height();
  const bool two = compact_ || (figure_.meaning.isEmpty() && figure_.isSentence);
  const double lines = (two ? 1.0 : 2.1) + valueScale();
  return {180, qRound(line * lines) + 2 * kCardPadding - 4};
}

void FigureCard::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() || isChecked() ? QPen(theme.selection, 2) : QPen(theme.line, 1));
  painter.setBrush(underMouse() ? theme.raised : theme.plot);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kCardRadius, kCardRadius);
  QRect inside =
      rect().adjusted(kCardPadding + 2, kCardPadding - 2, -kCardPadding, -kCardPadding + 2);
  if (figure_.curve.size() > 1 && inside.width() > 2 * kCurveWidth) {
    QRect room = inside.adjusted(0, 4, 0, -4);
    room.setLeft(room.right() - kCurveWidth);
    paintCurve(painter, room);
    inside.setRight(room.left() - kCardPadding);
  }
  const int line = fontMetrics().height();
  const auto write = [&](int top, const QFont& font, const QColor& color, const QString& text) {
    painter.setFont(font);
    painter.setPen(color);
    const QFontMetrics metrics(font);
    painter.drawText(QPoint(inside.left(), inside.top() + top + metrics.ascent()),
                     metrics.elidedText(text, Qt::ElideRight, inside.width()));
  };
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * kSmallScale);
  QFont large = font();
  large.setPointSizeF(font().pointSizeF() * valueScale());
  large.setWeight(QFont::DemiBold);
  const QFontMetrics letters(large);
  write(0, small, isChecked() ? theme.selection : theme.mutedText, figure_.label);
  write(line, large, figure_.warns ? theme.capacity : theme.text, figure_.value);
  if (!compact_) {
    write(line + letters.height(), small, figure_.warns ? theme.capacity : theme.mutedText,
          figure_.meaning);
  }
  // To the right of the figure, where it takes no line of its own.
  const int from = inside.left() + letters.horizontalAdvance(figure_.value) + 12;
  const int middle = inside.top() + line + letters.height() / 2;
  paintShare(painter, {from, middle - kCardBar / 2, inside.right() - from, kCardBar});
}

void FigureCard::paintShare(QPainter& painter, const QRect& room) const {
  if (!figure_.share || room.width() < 3 * kCardBar) return;
  const Theme& theme = Theme::current();
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.line);
  painter.drawRoundedRect(room, kCardBar / 2.0, kCardBar / 2.0);
  QRect full = room;
  full.setWidth(qRound(room.width() * std::clamp(*figure_.share, 0.0, 1.0)));
  painter.setBrush(figure_.warns ? theme.capacity : theme.selection);
  painter.drawRoundedRect(full, kCardBar / 2.0, kCardBar / 2.0);
}

/// Draws the curve as stairs: a value holds until the next point.
void FigureCard::paintCurve(QPainter& painter, const QRect& room) const {
  const Theme& theme = Theme::current();
  const auto& curve = figure_.curve;
  const auto [left, right] = std::ranges::minmax(curve, {}, &QPointF::x);
  const auto [low, high] = std::ranges::minmax(curve, {}, &QPointF::y);
  const double wide = std::max(right.x() - left.x(), 1e-12);
  const double tall = std::max(high.y() - low.y(), 1e-12);
  const auto at = [&, from = left.x(), bottom = low.y()](const QPointF& point) {
    return QPointF(room.left() + (point.x() - from) / wide * room.width(),
                   room.bottom() - (point.y() - bottom) / tall * room.height());
  };
  QPolygonF stairs;
  for (const QPointF& point : curve) {
    const QPointF next = at(point);
    if (!stairs.isEmpty()) stairs.append({next.x(), stairs.back().y()});
    stairs.append(next);
  }
  painter.setPen(QPen(theme.selection, 1.6));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(stairs);
  if (!figure_.mark) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.text);
  painter.drawEllipse(at(curve[*figure_.mark]), kDot, kDot);
}

}  // namespace hw
