#include "widgets/plot/painter_canvas.h"

#include <QPaintEngine>
#include <QPainterPath>
#include <QVBoxLayout>
#include <cmath>

#include "core/picture/plot.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QColor colorOf(Fill fill) {
  QColor color(QRgb(Theme::current().inks()[fill.ink]));
  color.setAlphaF(static_cast<float>(fill.opacity));
  return color;
}

QFont boldOf(QFont font) {
  font.setBold(true);
  return font;
}

}  // namespace

QRect wholePlot(const QWidget& widget, bool ticks) {
  constexpr int kZero = 4;  ///< The lowest mark of the other axis reaches a little below the plot.
  const int below = ticks ? 0 : static_cast<int>(plotTicksRoom(FontRuler(widget.font()))) - kZero;
  return widget.rect().adjusted(0, 0, 0, below);
}

void drawCardEdge(const QWidget& widget, QPainter& painter) {
  constexpr double kRadius = 10;
  const Theme& theme = Theme::current();
  const QRectF edge = QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  QPainterPath inside;
  inside.addRoundedRect(edge, kRadius, kRadius);
  QPainterPath corners;
  corners.addRect(widget.rect());
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillPath(corners - inside, theme.window);
  painter.setPen(QPen(theme.line, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(inside);
  painter.restore();
}

Card::Card(QWidget* content, QWidget* parent) : QWidget(parent) {
  constexpr int kInside = 8;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kInside, kInside, kInside, kInside);
  layout->addWidget(content);
}

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Theme::current().plot);
  drawCardEdge(*this, painter);
}

QPen penOf(const Stroke& stroke) {
  QPen pen(colorOf({stroke.ink}), stroke.width);
  if (stroke.dashes.empty()) return pen;
  QList<qreal> pattern;  // In widths of the pen.
  for (const QString& length : viewText(stroke.dashes).split(QLatin1Char(' '))) {
    pattern.append(length.toDouble() / stroke.width);
  }
  pen.setCapStyle(Qt::FlatCap);
  pen.setDashPattern(pattern);
  return pen;
}

FontRuler::FontRuler(const QFont& font, QPaintDevice* device)
    : plain_(font, device), bold_(boldOf(font), device) {}

double FontRuler::width(std::string_view text, bool bold) const {
  return (bold ? bold_ : plain_).horizontalAdvance(viewText(text));
}

PainterCanvas::PainterCanvas(QPainter& painter)
    : painter_(painter),
      ruler_(painter.font(), painter.device()),
      pixels_(painter.paintEngine()->type() == QPaintEngine::Raster) {}

void PainterCanvas::setLetters(double units) {
  QFont font = painter_.font();
  font.setPixelSize(qRound(units));
  painter_.setFont(font);
  ruler_ = FontRuler(font, painter_.device());
}

/// The pixels whose centres lie in `box`; at least one each way.
QRectF PainterCanvas::sharp(const Box& box) const {
  if (!pixels_) return toRectF(box);
  const auto edge = [](double at) { return std::ceil(at - 0.5); };
  const double left = edge(box.left);
  const double top = edge(box.top);
  return {left, top, std::max(1.0, edge(box.right()) - left),
          std::max(1.0, edge(box.bottom()) - top)};
}

void PainterCanvas::rectangle(const Box& box, const Look& look, const Hint&) {
  const QRectF shape = sharp(box);
  if (look.fill && pixels_) {
    painter_.fillRect(shape.toRect(), colorOf(*look.fill));  // Quicker than with fractions.
  } else if (look.fill) {
    painter_.fillRect(shape, colorOf(*look.fill));
  }
  if (!look.edge) return;
  painter_.setBrush(Qt::NoBrush);
  painter_.setPen(penOf(*look.edge));
  painter_.drawRect(pixels_ ? shape.adjusted(0, 0, -1, -1) : shape);
}

void PainterCanvas::line(Point from, Point to, const Stroke& stroke) {
  painter_.setPen(penOf(stroke));
  painter_.drawLine(QPointF(from.x, from.y), QPointF(to.x, to.y));
}

void PainterCanvas::text(Point at, std::string_view text, const Lettering& lettering) {
  const QString words = viewText(text);
  // Measuring takes as long as drawing, and most labels begin where they stand.
  const bool measured = lettering.anchor != Anchor::start || lettering.halo;
  const double width = measured ? ruler_.width(text, lettering.bold) : 0;
  const double back = lettering.anchor == Anchor::start    ? 0
                      : lettering.anchor == Anchor::middle ? width / 2
                                                           : width;
  const QFont before = painter_.font();
  const QTransform place = painter_.transform();
  if (lettering.bold) painter_.setFont(boldOf(before));
  QPointF from(at.x - back, at.y);
  if (lettering.upwards) {
    painter_.translate(at.x, at.y);
    painter_.rotate(-90);
    from = {-back, 0};
  }
  if (lettering.halo) {
    const QRectF room(0, 1 - ruler_.ascent(), width, ruler_.height() - 1);
    painter_.fillRect(room.adjusted(-3, 0, 3, 0).translated(from), colorOf({Ink::plot, 0.84}));
  }
  painter_.setPen(colorOf({lettering.ink}));
  painter_.drawText(from, words);
  if (lettering.upwards) painter_.setTransform(place);
  if (lettering.bold) painter_.setFont(before);
}

void PainterCanvas::path(std::span<const Point> points, const Look& look) {
  QPolygonF polygon;
  for (const Point& point : points) polygon.append(QPointF(point.x, point.y));
  painter_.setPen(look.edge ? penOf(*look.edge) : QPen(Qt::NoPen));
  if (!look.fill) return painter_.drawPolyline(polygon);
  painter_.save();
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setBrush(colorOf(*look.fill));
  painter_.drawPolygon(polygon);
  painter_.restore();
}

/// A rectangle a stair: filling one polygon of thousands of corners takes Qt seconds.
void PainterCanvas::stairs(std::span<const Point> points, double floor, Fill fill) {
  const QColor color = colorOf(fill);
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].y != points[i - 1].y) continue;
    painter_.fillRect(QRectF(QPointF(points[i - 1].x, points[i].y), QPointF(points[i].x, floor)),
                      color);
  }
}

/// Lines on paper, for a pattern brush is an image in a file. On every line x + y (x - y where it
/// leans back) is a multiple of `kApart`, so that they meet across blocks.
void PainterCanvas::hatch(const Box& box, Fill fill) {
  const Qt::BrushStyle style = fill.leansBack ? Qt::FDiagPattern : Qt::BDiagPattern;
  if (pixels_) return painter_.fillRect(sharp(box), QBrush(colorOf(fill), style));
  constexpr double kApart = 5;
  painter_.setPen(QPen(colorOf(fill), 0.6));
  // Upside down, the one is the other.
  const double side = fill.leansBack ? -1 : 1;
  const double low = std::min(side * box.top, side * box.bottom());
  const double high = std::max(side * box.top, side * box.bottom());
  const auto end = static_cast<int>(std::ceil((box.right() + high) / kApart));
  for (auto line = static_cast<int>(std::ceil((box.left + low) / kApart)); line < end; ++line) {
    const double sum = line * kApart;
    const double left = std::max(box.left, sum - high);
    const double right = std::min(box.right(), sum - low);
    if (left >= right) continue;
    painter_.drawLine(QPointF(left, side * (sum - left)), QPointF(right, side * (sum - right)));
  }
}

}  // namespace hw
