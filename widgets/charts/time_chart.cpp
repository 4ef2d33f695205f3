#include "widgets/charts/time_chart.h"

#include <QLegendMarker>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/picture/chart_scene.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

namespace {

/// Time is never shown shorter than this, so that a search that took none has an axis.
constexpr double kLeastSeconds = 1e-6;

/// Thousands, millions and so on, as large as `high` wants it.
std::vector<AxisTick> countTicks(double low, double high) {
  for (const auto& [scale, name] :
       {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (high >= scale) return numberTicks(low, high, scale, name);
  }
  return numberTicks(low, high, 1, "");
}

}  // namespace

std::vector<QPointF> timeStairs(const std::vector<QPointF>& samples, double seconds,
                                std::size_t limit) {
  std::vector<QPointF> line;
  const auto to = [&line](double x, double y) {
    if (line.empty() || line.back() != QPointF(x, y)) line.emplace_back(x, y);
  };
  if (samples.empty()) return line;
  const double begin = samples.front().x();
  double value = samples.front().y();
  to(begin, value);
  const bool few = 2 * samples.size() + 2 <= limit;
  const double columns = std::floor(static_cast<double>(limit - 2) / 4);
  const double width = few ? 0 : std::max(seconds - begin, kLeastSeconds) / columns;
  for (std::size_t i = 1; i < samples.size();) {
    const double from = samples[i].x();
    const double edge = few ? from : begin + (std::floor((from - begin) / width) + 1) * width;
    double least = value;
    double most = value;
    to(from, value);
    do {
      value = samples[i].y();
      least = std::min(least, value);
      most = std::max(most, value);
      ++i;
    } while (!few && i < samples.size() && samples[i].x() < edge);
    if (!few) to(from, most);
    if (!few) to(from, least);
    to(from, value);
  }
  to(std::max(seconds, samples.back().x()), value);
  return line;
}

TimeChart::TimeChart(QWidget* parent)
    : QChartView(new QChart, parent),
      x_(new QCategoryAxis(this)),
      y_(new QCategoryAxis(this)),
      series_{new QLineSeries(this), new QLineSeries(this)},
      marks_(new QScatterSeries(this)) {
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  for (QXYSeries* series : std::initializer_list<QXYSeries*>{series_[0], series_[1], marks_}) {
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  }
  marks_->setMarkerSize(6);
  marks_->setBorderColor(Qt::transparent);
  connect(marks_, &QScatterSeries::hovered, this, &TimeChart::showToolTip);
  applyTheme();
}

void TimeChart::setPlot(TimePlot plot) {
  plot_ = std::move(plot);
  plot_.seconds = std::max(plot_.seconds, kLeastSeconds);
  double low = plot_.fromZero ? 0 : HUGE_VAL;
  double high = 0;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    const TimeCurve curve = i < plot_.curves.size() ? plot_.curves[i] : TimeCurve();
    for (const QPointF& sample : curve.samples) {
      low = std::min(low, sample.y());
      high = std::max(high, sample.y());
    }
    const auto stairs = timeStairs(curve.samples, plot_.seconds, kMostPoints);
    series_[i]->setName(curve.name);
    series_[i]->setPen(QPen(curve.color, 2, curve.style));
    series_[i]->replace(QList<QPointF>(stairs.begin(), stairs.end()));
  }
  QList<QPointF> dots;
  for (const TimeMark& mark : plot_.marks) dots.append(mark.at);
  marks_->replace(dots);
  chart()->setTitle(plot_.title);
  chart()->legend()->setVisible(plot_.curves.size() > 1);
  for (QLegendMarker* marker : chart()->legend()->markers(marks_)) marker->setVisible(false);
  low = std::min(low, high);
  // Room above and below, so that a curve is not drawn on the frame; at least 1, for an axis of no
  // height cannot be drawn when the curve is flat.
  const double air = std::max({(high - low) * 0.12, high * 0.002, 1.0});
  low = plot_.fromZero ? 0 : std::max(0.0, low - air);
  high += air;
  setTicks(*x_, 0, plot_.seconds, timeTicks(plot_.seconds, 1));
  setTicks(*y_, low, high, plot_.isBytes ? byteTicks(low, high) : countTicks(low, high));
}

void TimeChart::applyTheme() {
  styleChart(*this);
  marks_->setColor(Theme::current().text);
}

void TimeChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

void TimeChart::showToolTip(const QPointF& at, bool over) {
  const auto mark = std::ranges::find(plot_.marks, at, &TimeMark::at);
  QToolTip::showText(QCursor::pos(), over && mark != plot_.marks.end() ? mark->text : QString(),
                     this);
}

/// Words beside the dots, from the last to the first: where they would meet, the later one is the
/// one that counts.
void TimeChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  PainterCanvas canvas(*painter);
  const Ruler& ruler = canvas.ruler();
  const QRectF plot = chart()->plotArea();
  std::vector<QRectF> taken;
  for (auto mark = plot_.marks.rbegin(); mark != plot_.marks.rend(); ++mark) {
    const QPointF at = chart()->mapToPosition(mark->at, marks_);
    const double width = ruler.width(mark->text.toStdString());
    const bool atLeft = at.x() + width + 12 > plot.right();
    const QRectF box(atLeft ? at.x() - width - 7 : at.x() + 7, at.y() - ruler.height() - 4, width,
                     ruler.height());
    const bool meets =
        std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(box); });
    if (meets || box.left() < plot.left()) continue;
    taken.push_back(box);
    canvas.text({box.left(), box.top() + ruler.ascent()}, mark->text.toStdString(), {.halo = true});
  }
  painter->restore();
}

}  // namespace hw
