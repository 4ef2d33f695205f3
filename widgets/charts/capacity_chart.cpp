#include "widgets/charts/capacity_chart.h"

#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

namespace hw {

std::optional<double> capacityFigure(const CapacityPoint& point, CapacityFigure figure) {
  if (!point.figures.fits) return {};
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
  if (!value)
    return point.figures.fits ? QStringLiteral("\u2013") : CapacityChart::tr("does not fit");
  const auto whole = static_cast<std::int64_t>(*value);
  return figure == CapacityFigure::latency ? timeText(SimTime(whole)) : sizeText(Bytes(whole));
}

CapacityChart::CapacityChart(QWidget* parent)
    : QChartView(new QChart, parent),
      x_(new QCategoryAxis(this)),
      y_(new QCategoryAxis(this)),
      line_(new QLineSeries(this)),
      dots_(new QScatterSeries(this)) {
  setAccessibleName(tr("Figures over the capacity of L2"));
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  chart()->legend()->hide();
  for (QXYSeries* series : std::initializer_list<QXYSeries*>{line_, dots_}) {
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  }
  dots_->setMarkerSize(5);
  connect(dots_, &QScatterSeries::hovered, this, [this](const QPointF& at, bool over) {
    const Bytes capacity(static_cast<std::int64_t>(at.x()));
    const auto point = std::ranges::find(points_, capacity, &CapacityPoint::capacity);
    if (!over || point == points_.end()) return QToolTip::hideText();
    const QString figure = capacityFigureText(*point, figure_);
    QToolTip::showText(QCursor::pos(), tr("%1 at %2").arg(figure, sizeText(capacity)), this);
  });
  applyTheme();
  rebuild();
}

void CapacityChart::applyTheme() {
  const Theme& theme = Theme::current();
  styleChart(*this);
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
  constexpr double kPicoseconds = 1e12;  // In a second.
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
    top = std::max(top, *value * 1.05);
  }
  const auto end = static_cast<double>(most().count());
  if (!stairs.isEmpty()) stairs.append({end, stairs.back().y()});
  const bool time = figure_ == CapacityFigure::latency;
  setTicks(*x_, 0, end, byteTicks(0, end));
  setTicks(*y_, 0, top, time ? timeTicks(top, kPicoseconds) : byteTicks(0, top));
  for (QAbstractAxis* axis : chart()->axes()) axis->setVisible(!points_.empty());
  line_->replace(stairs);
  dots_->replace(dots);
  viewport()->update();
}

void CapacityChart::pick(const QPointF& at) {
  if (points_.empty()) return;
  const double bytes =
      std::clamp(chart()->mapToValue(at, line_).x(), 0.0, static_cast<double>(most().count()));
  Q_EMIT positionPicked(Bytes(static_cast<std::int64_t>(bytes)));
}

void CapacityChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) pick(event->position());
}

void CapacityChart::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) return pick(event->position());
  QChartView::mouseMoveEvent(event);  // Dots have tool tips.
}

void CapacityChart::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void CapacityChart::wheelEvent(QWheelEvent* event) { event->ignore(); }

/// Lines down the plot, with their names: `row` 0 at its top, 1 below that.
void CapacityChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  PainterCanvas canvas(*painter);
  const Ruler& ruler = canvas.ruler();
  const hw::Box plot = toBox(chart()->plotArea());
  const auto mark = [&](std::optional<Bytes> at, std::string_view name, const Stroke& stroke,
                        int row) {
    if (!at || *at > most()) return;
    const QPointF on = chart()->mapToPosition({static_cast<double>(at->count()), 0}, line_);
    const double x = std::round(on.x());
    canvas.line({x, plot.top}, {x, plot.bottom()}, stroke);
    const bool atLeft = x + ruler.width(name) + 6 > plot.right();
    canvas.text(
        {atLeft ? x - 5 : x + 5, plot.top + ruler.ascent() + 3 + row * ruler.height()}, name,
        {.ink = stroke.ink, .anchor = atLeft ? Anchor::end : Anchor::start, .halo = !name.empty()});
  };
  if (points_.empty()) {
    painter->setPen(Theme::current().mutedText);
    painter->drawText(viewport()->rect().adjusted(12, 4, -12, -4),
                      Qt::AlignCenter | Qt::TextWordWrap,
                      tr("Sweep plans the model at many capacities of L2 and draws here what each "
                         "costs."));
  } else {
    mark(kneeOf(points_), "knee", {Ink::accent, 1, kDotted}, 1);
    mark(fitsFrom(points_), "fits from here on", {Ink::lowerBound, 1.5, kDashDotted}, 0);
    mark(planned_, "as planned", {Ink::capacity, 1.5, kDashed}, 2);
    mark(position_, {}, {Ink::playhead}, 0);
  }
  painter->restore();
}

}  // namespace hw
