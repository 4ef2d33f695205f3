#include <cmath>

#include "widgets/canvas/block_label.h"
#include "widgets/canvas/map_scene.h"

namespace hw {

namespace {

/// Blocks need this many units each way for an edge of their own, and for a name.
constexpr double kEdgeRoom = 3;
constexpr double kNameRoom = 9;

}  // namespace

void MapPainter::paintExact(QPainter& painter) const {
  painter.fillRect(frame_.whole, Theme::current().plot);
  painter.save();
  painter.setClipRect(frame_.plot);
  paintExactGrid(painter);
  scene_.blocks->visit(scene_.window, [&](std::size_t index) { paintExactBlock(painter, index); });
  paintOver(painter);
  painter.restore();
  MapRaster drawn;
  drawn.past = QImage(1, 1, QImage::Format_RGB32);  // No pixels, so no blocks that share one.
  paintAround(painter, note(drawn));
}

void MapPainter::paintExactGrid(QPainter& painter) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  painter.setPen(QPen(Theme::current().grid, 1));
  for (const AxisTick& tick : stepAxis().ticks(stepTickSpacing(metrics))) {
    const double x = stepAxis().toX(tick.value);
    painter.drawLine(QPointF(x, frame_.plot.top()), QPointF(x, frame_.plot.bottom()));
  }
  for (const AxisTick& tick : byteAxis().ticks(byteTickSpacing(metrics))) {
    const double y = byteAxis().toPixel(tick.value);
    painter.drawLine(QPointF(frame_.plot.left(), y), QPointF(frame_.plot.right(), y));
  }
}

/// Cut off at the plot's edges rather than clipped: Qt's SVG does not clip.
void MapPainter::paintExactBlock(QPainter& painter, std::size_t index) const {
  const Block block = scene_.blocks->block(index);
  const StepAxis x = stepAxis();
  const ByteAxis y = byteAxis();
  const QRectF whole(QPointF(x.toX(static_cast<double>(block.steps.begin.count())),
                             y.toPixel(static_cast<double>(block.bytes.end.count()))),
                     QPointF(x.toX(static_cast<double>(block.steps.end.count())),
                             y.toPixel(static_cast<double>(block.bytes.begin.count()))));
  const QRectF box = whole & QRectF(frame_.plot);
  if (box.isEmpty()) return;
  const auto kind = static_cast<std::size_t>(block.kind);
  const bool future = scene_.started && block.steps.begin > scene_.step;
  const BlockShade& shade = future ? colors_.future[kind] : colors_.past[kind];
  const bool edged = box.width() >= kEdgeRoom && box.height() >= kEdgeRoom;
  painter.fillRect(box, QColor(edged ? shade.fill : shade.thin));
  if (!edged) return;
  if (scene_.moved && scene_.moved->contains(index)) paintHatch(painter, box);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(shade.edge), 0.5, future ? Qt::DotLine : Qt::SolidLine));
  painter.drawRect(box);
  if (box.width() < kNameRoom || box.height() < kNameRoom) return;
  painter.setPen(future ? Theme::current().mutedText : Theme::current().text);
  drawBlockLabel(painter, box, *scene_.run, block.stay);
}

/// Lines, for a pattern brush is an image in a file.
void MapPainter::paintHatch(QPainter& painter, const QRectF& box) const {
  constexpr double kApart = 5;
  QColor color = Theme::current().text;
  color.setAlpha(Theme::current().dark ? 130 : 110);
  painter.setPen(QPen(color, 0.6));
  const double last = box.right() + box.bottom();
  // On every line x + y is a multiple of `kApart`, so that they meet across blocks.
  for (double sum = std::ceil((box.left() + box.top()) / kApart) * kApart; sum < last;
       sum += kApart) {
    const double left = std::max(box.left(), sum - box.bottom());
    const double right = std::min(box.right(), sum - box.top());
    if (left < right) painter.drawLine(QPointF(left, sum - left), QPointF(right, sum - right));
  }
}

}  // namespace hw
