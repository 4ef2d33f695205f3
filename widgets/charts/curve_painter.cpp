#include "widgets/charts/curve_painter.h"

#include <QCoreApplication>

#include "core/base/text.h"
#include "widgets/canvas/reference_lines.h"
#include "widgets/charts/step_curve.h"

namespace hw {

namespace {

constexpr std::size_t kMostPoints = 4'000;

QString tr(const char* text) { return QCoreApplication::translate("PeakChart", text); }

class CurvePainter {
 public:
  CurvePainter(QPainter& painter, const QRect& target, const Run& run, PoolId pool)
      : painter_(painter),
        frame_(PlotFrame::inside(target, QFontMetrics(painter.font(), painter.device()))),
        run_(run),
        pool_(pool),
        x_{0, std::max(1.0, static_cast<double>(run.problem.steps.count())),
           static_cast<double>(frame_.plot.left()), static_cast<double>(frame_.plot.width())},
        y_{0, fullByteRange(run, pool),
           static_cast<double>(frame_.plot.top() + frame_.plot.height()),
           -static_cast<double>(frame_.plot.height())} {}

  void paint() {
    const Theme& theme = Theme::current();
    painter_.fillRect(frame_.whole, theme.plot);
    grid();
    const StairCurve live(liveCurve(run_, pool_));
    const auto points = live.stairs(x_.begin, x_.end, kMostPoints);
    QColor fill = theme.live;
    fill.setAlpha(110);
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (points[i].y() != points[i - 1].y() || points[i].y() <= 0) continue;
      painter_.fillRect(QRectF(at(points[i - 1]), at({points[i].x(), 0})), fill);
    }
    line(points, QPen(theme.highWater.lighter(140), 0.6));
    const StairCurve high(highWaterCurve(run_, pool_));
    line(high.stairs(x_.begin, x_.end, kMostPoints), QPen(theme.highWater, 1.2));
    references();
    painter_.setPen(theme.grid);
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(frame_.plot);
    drawByteTicks(painter_, frame_, y_);
    drawStepTicks(painter_, frame_, x_);
    const QString name = QString::fromStdString(run_.problem.pools[pool_].name);
    drawTitle(painter_, frame_, tr("%1   bytes in use and high water").arg(name), {});
  }

 private:
  QPointF at(const QPointF& point) const { return {x_.toX(point.x()), y_.toPixel(point.y())}; }

  void grid() {
    const QFontMetrics metrics(painter_.font(), painter_.device());
    painter_.setPen(Theme::current().grid);
    for (const AxisTick& tick : x_.ticks(stepTickSpacing(metrics))) {
      painter_.drawLine(at({tick.value, y_.low}), at({tick.value, y_.high}));
    }
    for (const AxisTick& tick : y_.ticks(byteTickSpacing(metrics))) {
      painter_.drawLine(at({x_.begin, tick.value}), at({x_.end, tick.value}));
    }
  }

  void line(const std::vector<QPointF>& points, const QPen& pen) {
    QPolygonF polyline;
    for (const QPointF& point : points) polyline.append(at(point));
    painter_.setPen(pen);
    painter_.drawPolyline(polyline);
  }

  void references() {
    const QFontMetricsF metrics(painter_.font(), painter_.device());
    double left = frame_.plot.left() + 6;
    for (const ReferenceLine& mark : referenceLines(run_, pool_)) {
      const double y = y_.toPixel(static_cast<double>(mark.bytes.count()));
      if (y < frame_.plot.top()) continue;
      const LineStyle style = lineStyle(mark.kind, Theme::current());
      painter_.setPen(QPen(style.color, style.width, style.dashes));
      painter_.drawLine(QPointF(frame_.plot.left(), y), QPointF(frame_.plot.right(), y));
      drawHaloText(painter_, {left, y + metrics.ascent() + 2}, mark.label, style.color);
      left += metrics.horizontalAdvance(mark.label) + 18;
    }
  }

  QPainter& painter_;
  PlotFrame frame_;
  const Run& run_;
  PoolId pool_;
  StepAxis x_;
  ByteAxis y_;
};

}  // namespace

void paintCurves(QPainter& painter, const QRect& target, const Run& run, PoolId pool) {
  CurvePainter(painter, target, run, pool).paint();
}

}  // namespace hw
