#include "widgets/charts/capacity_chart.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QMouseEvent>
#include <QValueAxis>
#include <algorithm>

#include "widgets/canvas/plot_frame.h"
#include "widgets/charts/bare_chart.h"
#include "widgets/panels/run_text.h"

namespace hw {

std::optional<double> capacityFigure(const CapacityPoint& point, CapacityFigure figure) {
  if (!point.fits) return {};
  const auto bytes = [](Bytes value) { return static_cast<double>(value.count()); };
  switch (figure) {
    case CapacityFigure::farTraffic:
      return bytes(point.farTraffic);
    case CapacityFigure::latency:
      if (!point.figures.latency) return {};
      return static_cast<double>(point.figures.latency->count());
    case CapacityFigure::spilled:
      return bytes(point.figures.spilled.value_or(Bytes()));
    case CapacityFigure::peak:
      break;
  }
  return bytes(point.figures.peak());
}

QString capacityFigureText(const CapacityPoint& point, CapacityFigure figure) {
  const auto value = capacityFigure(point, figure);
  if (!value) return point.fits ? QStringLiteral("\u2013") : CapacityChart::tr("does not fit");
  const auto whole = static_cast<std::int64_t>(*value);
  return figure == CapacityFigure::latency ? timeText(SimTime(whole)) : sizeText(Bytes(whole));
}

CapacityChart::CapacityChart(QWidget* parent)
    : QChartView(new QChart, parent),
      x_(new QValueAxis(this)),
      y_(new QValueAxis(this)),
      line_(new QLineSeries(this)),
      dots_(new QScatterSeries(this)) {
  setAccessibleName(tr("Figures over the capacity of L2"));
  makeBare(*this);
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  x_->setVisible(false);
  y_->setVisible(false);
  for (QXYSeries* series : {static_cast<QXYSeries*>(line_), static_cast<QXYSeries*>(dots_)}) {
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  }
  dots_->setMarkerSize(5);
  applyTheme();
  rebuild();
}

void CapacityChart::applyTheme() {
  const Theme& theme = Theme::current();
  setBackgroundBrush(theme.plot);
  line_->setPen(QPen(theme.highWater, 1.5));
  dots_->setBrush(theme.highWater);
  dots_->setPen(Qt::NoPen);
}

void CapacityChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

void CapacityChart::setPoints(std::vector<CapacityPoint> points) {
  points_ = std::move(points);
  rebuild();
}

void CapacityChart::setFigure(CapacityFigure figure) {
  figure_ = figure;
  rebuild();
}

void CapacityChart::setPlanned(std::optional<Bytes> capacity) {
  planned_ = capacity;
  viewport()->update();
}

void CapacityChart::setPosition(Bytes capacity) {
  position_ = capacity;
  viewport()->update();
}

/// A little more than what is needed for everything, so that its mark is not at the edge.
Bytes CapacityChart::most() const {
  if (points_.empty()) return Bytes(1);
  return Bytes(points_.back().capacity.count() / 100 * 108 + 1);
}

void CapacityChart::rebuild() {
  QList<QPointF> stairs;
  QList<QPointF> dots;
  double top = 1;
  for (const CapacityPoint& point : points_) {
    const auto value = capacityFigure(point, figure_);
    if (!value) continue;
    const auto capacity = static_cast<double>(point.capacity.count());
    if (!stairs.isEmpty()) stairs.append({capacity, stairs.back().y()});
    stairs.append({capacity, *value});
    dots.append({capacity, *value});
    top = std::max(top, *value);
  }
  const auto end = static_cast<double>(most().count());
  if (!stairs.isEmpty()) stairs.append({end, stairs.back().y()});
  x_->setRange(0, end);
  y_->setRange(0, top * 1.05);
  line_->replace(stairs);
  dots_->replace(dots);
  viewport()->update();
}

QRect CapacityChart::plotRect() const {
  return PlotFrame::inside(viewport()->rect(), fontMetrics()).plot;
}

ByteAxis CapacityChart::xAxis() const {
  const QRect plot = plotRect();
  return {0, static_cast<double>(most().count()), static_cast<double>(plot.left()),
          static_cast<double>(plot.width())};
}

double CapacityChart::toY(double value) const {
  const QRect plot = plotRect();
  return plot.bottom() + 1 - value / y_->max() * plot.height();
}

void CapacityChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  chart()->setPlotArea(plotRect());
}

void CapacityChart::pick(const QPointF& at) {
  if (points_.empty()) return;
  const double bytes =
      std::clamp(xAxis().toBytes(at.x()), 0.0, static_cast<double>(most().count()));
  Q_EMIT positionPicked(Bytes(static_cast<std::int64_t>(bytes)));
}

void CapacityChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) pick(event->position());
}

void CapacityChart::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) pick(event->position());
}

void CapacityChart::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void CapacityChart::wheelEvent(QWheelEvent* event) { event->ignore(); }

void CapacityChart::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  if (points_.empty()) return;
  const QRect plot = plotRect();
  painter->save();
  painter->setPen(Theme::current().grid);
  for (const AxisTick& tick : xAxis().ticks(fontMetrics().averageCharWidth() * 14)) {
    const int x = qRound(xAxis().toPixel(tick.value));
    painter->drawLine(x, plot.top(), x, plot.bottom());
  }
  for (const double share : {0.5, 1.0}) {
    const int y = qRound(toY(y_->max() / 1.05 * share));
    painter->drawLine(plot.left(), y, plot.right(), y);
  }
  painter->restore();
}

void CapacityChart::drawAxes(QPainter& painter) const {
  const PlotFrame frame = PlotFrame::inside(viewport()->rect(), fontMetrics());
  painter.setPen(Theme::current().axis);
  for (const AxisTick& tick : xAxis().ticks(fontMetrics().averageCharWidth() * 14)) {
    const int width = fontMetrics().horizontalAdvance(tick.label) + 4;
    const int x = qRound(xAxis().toPixel(tick.value));
    const int left = std::min(x - width / 2, frame.whole.right() - width);
    painter.drawText(QRect(left, frame.ticks.top(), width, frame.ticks.height()), Qt::AlignCenter,
                     tick.label);
  }
  for (const double share : {0.0, 0.5, 1.0}) {
    const double value = y_->max() / 1.05 * share;
    const auto whole = static_cast<std::int64_t>(value);
    const QString text =
        figure_ == CapacityFigure::latency ? timeText(SimTime(whole)) : sizeText(Bytes(whole));
    painter.drawText(QRectF(0, toY(value) - 10, frame.plot.left() - 6, 20),
                     Qt::AlignRight | Qt::AlignVCenter, text);
  }
}

/// A line down the plot, with its name above it: `line` 0 in the title, 1 below that.
void CapacityChart::drawMark(QPainter& painter, std::optional<Bytes> at, const QString& name,
                             const QPen& pen, int line) const {
  if (!at || *at > most()) return;
  const PlotFrame frame = PlotFrame::inside(viewport()->rect(), fontMetrics());
  const double x = std::round(xAxis().toPixel(static_cast<double>(at->count())));
  painter.setPen(pen);
  painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
  if (name.isEmpty()) return;
  const double width = fontMetrics().horizontalAdvance(name);
  const double left = x + width + 6 > frame.whole.right() ? x - width - 6 : x + 5;
  const double y =
      line == 0 ? frame.title.bottom() - 3.0 : frame.plot.top() + fontMetrics().ascent() + 3.0;
  drawHaloText(painter, {std::max(left, 2.0), y}, name, pen.color());
}

void CapacityChart::drawForeground(QPainter* painter, const QRectF&) {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setFont(font());
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setBrush(Qt::NoBrush);
  if (points_.empty()) {
    painter->setPen(theme.mutedText);
    painter->drawText(viewport()->rect().adjusted(12, 4, -12, -4),
                      Qt::AlignCenter | Qt::TextWordWrap,
                      tr("Sweep plans the model at many capacities of L2 and draws here what each "
                         "costs."));
    painter->restore();
    return;
  }
  painter->setPen(theme.grid);
  painter->drawRect(plotRect().adjusted(-1, -1, 0, 0));
  drawAxes(*painter);
  drawMark(*painter, kneeOf(points_), tr("knee"), QPen(theme.accent, 1, Qt::DotLine), 1);
  drawMark(*painter, fitsFrom(points_), tr("fits from here on"),
           QPen(theme.lowerBound, 1.5, Qt::DashDotLine), 0);
  drawMark(*painter, planned_, tr("as planned"), QPen(theme.capacity, 1.5, Qt::DashLine), 0);
  drawMark(*painter, position_, {}, QPen(theme.playhead, 1), 1);
  painter->restore();
}

}  // namespace hw
