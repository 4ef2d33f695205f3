#include "widgets/charts/time_chart.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/charts/bare_chart.h"

namespace hw {

namespace {

/// Time is never shown shorter than this, so that a search that took none has an axis.
constexpr double kLeastSeconds = 1e-6;

struct TimeUnit {
  double seconds = 1;
  const char* name = "s";
};

TimeUnit unitFor(double seconds) {
  if (seconds >= 1) return {1, "s"};
  if (seconds >= 1e-3) return {1e-3, "ms"};
  return {1e-6, "\u00b5s"};
}

/// The least of 1, 2, 5 times a power of ten that is not below `wanted`.
double roundDistance(double wanted) {
  double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1e-12))));
  for (;; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= wanted * (1 - 1e-9)) return factor * power;
    }
  }
}

/// 1,500 as "1.5 k", 2,000,000 as "2 M".
QString shortNumber(double value) {
  for (const auto& [scale, name] :
       {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")}) {
    if (value >= scale) {
      return QString::number(value / scale, 'g', 4) + QLatin1Char(' ') + QLatin1String(name);
    }
  }
  return QString::number(value, 'g', 4);
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
    : QChartView(new QChart, parent), x_(new QValueAxis(this)), y_(new QValueAxis(this)) {
  makeBare(*this);
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  // Axes are drawn by us, like those of the maps.
  x_->setVisible(false);
  y_->setVisible(false);
  for (QLineSeries*& series : series_) {
    series = new QLineSeries(this);
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  }
  applyTheme();
}

void TimeChart::setPlot(TimePlot plot) {
  plot_ = std::move(plot);
  plot_.seconds = std::max(plot_.seconds, kLeastSeconds);
  showPlot();
}

void TimeChart::showPlot() {
  double low = plot_.fromZero ? 0 : HUGE_VAL;
  double high = 0;
  for (std::size_t i = 0; i < series_.size(); ++i) {
    series_[i]->clear();
    if (i >= plot_.curves.size()) continue;
    const TimeCurve& curve = plot_.curves[i];
    for (const QPointF& sample : curve.samples) {
      low = std::min(low, sample.y());
      high = std::max(high, sample.y());
    }
    const auto stairs = timeStairs(curve.samples, plot_.seconds, kMostPoints);
    series_[i]->setPen(QPen(curve.color, 2, curve.style));
    series_[i]->replace(QList<QPointF>(stairs.begin(), stairs.end()));
  }
  low = std::min(low, high);
  // Air above and below, also where everything is one line.
  const double air = std::max({(high - low) * 0.12, high * 0.002, 1.0});
  x_->setRange(0, plot_.seconds);
  y_->setRange(plot_.fromZero ? 0 : std::max(0.0, low - air), high + air);
  viewport()->update();
}

void TimeChart::applyTheme() {
  setBackgroundBrush(Theme::current().plot);
  viewport()->update();
}

void TimeChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

PlotFrame TimeChart::frame() const { return PlotFrame::inside(viewport()->rect(), fontMetrics()); }

void TimeChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  chart()->setPlotArea(frame().plot);
}

double TimeChart::toX(double seconds) const {
  const QRect plot = frame().plot;
  return plot.left() + seconds / plot_.seconds * plot.width();
}

ByteAxis TimeChart::valueAxis() const {
  const QRect plot = frame().plot;
  return {y_->min(), y_->max(), static_cast<double>(plot.top() + plot.height()),
          -static_cast<double>(plot.height())};
}

std::vector<AxisTick> TimeChart::valueTicks() const {
  const ByteAxis axis = valueAxis();
  const double spacing = byteTickSpacing(fontMetrics());
  if (plot_.isBytes) return axis.ticks(spacing);
  std::vector<AxisTick> marks;
  const double distance = roundDistance(spacing * (axis.high - axis.low) / std::abs(axis.length));
  const int count = static_cast<int>(std::clamp(axis.high / distance, 0.0, 1000.0));
  for (int i = 0; i <= count; ++i) marks.push_back({i * distance, shortNumber(i * distance)});
  return marks;
}

std::vector<AxisTick> TimeChart::timeTicks() const {
  const TimeUnit unit = unitFor(plot_.seconds);
  const double all = plot_.seconds / unit.seconds;
  const double spacing = fontMetrics().horizontalAdvance(QStringLiteral("888.8")) + 18;
  const double distance = roundDistance(spacing * all / std::max(1, frame().plot.width()));
  std::vector<AxisTick> marks;
  const int count = static_cast<int>(std::clamp(all / distance + 1e-9, 0.0, 1000.0));
  for (int i = 0; i <= count; ++i) {
    marks.push_back({i * distance * unit.seconds, QString::number(i * distance, 'g', 4)});
  }
  return marks;
}

void TimeChart::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  const QRect plot = frame().plot;
  painter->save();
  painter->setPen(Theme::current().grid);
  for (const AxisTick& tick : timeTicks()) {
    const int x = qRound(toX(tick.value));
    painter->drawLine(x, plot.top(), x, plot.bottom());
  }
  const ByteAxis axis = valueAxis();
  for (const AxisTick& tick : valueTicks()) {
    const int y = qRound(axis.toPixel(tick.value));
    painter->drawLine(plot.left(), y, plot.right(), y);
  }
  painter->restore();
}

void TimeChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  painter->setRenderHint(QPainter::Antialiasing, false);
  const PlotFrame frame = this->frame();
  painter->setPen(Theme::current().grid);
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(frame.plot.adjusted(-1, -1, 0, 0));
  drawTicks(*painter, frame);
  drawMarks(*painter, frame);
  drawHeading(*painter, frame);
  painter->restore();
}

void TimeChart::drawTicks(QPainter& painter, const PlotFrame& frame) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  const ByteAxis axis = valueAxis();
  painter.setPen(Theme::current().axis);
  for (const AxisTick& tick : valueTicks()) {
    const int middle = qRound(axis.toPixel(tick.value));
    const QRect box(frame.whole.left(), middle - metrics.height() / 2,
                    frame.plot.left() - frame.whole.left() - 6, metrics.height());
    if (box.top() < frame.title.top() + metrics.height() / 2) continue;
    painter.drawLine(frame.plot.left() - 3, middle, frame.plot.left() - 1, middle);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, tick.label);
  }
  for (const AxisTick& tick : timeTicks()) {
    const int width = metrics.horizontalAdvance(tick.label) + 2;
    const int centre = qRound(toX(tick.value));
    const int left = std::min(centre - width / 2, frame.whole.right() - width);
    painter.drawLine(centre, frame.plot.bottom() + 1, centre, frame.plot.bottom() + 3);
    painter.drawText(QRect(left, frame.ticks.top(), width, frame.ticks.height()), Qt::AlignCenter,
                     tick.label);
  }
  painter.setPen(Theme::current().mutedText);
  const QRect name(frame.whole.left(), frame.ticks.top(),
                   frame.ticks.left() - frame.whole.left() - 14, frame.ticks.height());
  painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter,
                   QString::fromUtf8(unitFor(plot_.seconds).name));
}

/// From the last to the first: where words would meet, the later one is the one that counts.
void TimeChart::drawMarks(QPainter& painter, const PlotFrame& frame) const {
  const QFontMetricsF metrics(painter.font(), painter.device());
  const ByteAxis axis = valueAxis();
  std::vector<QRectF> taken;
  for (auto mark = plot_.marks.rbegin(); mark != plot_.marks.rend(); ++mark) {
    const QPointF at(toX(mark->at.x()), axis.toPixel(mark->at.y()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Theme::current().text);
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(at, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double width = metrics.horizontalAdvance(mark->text);
    const bool atLeft = at.x() + width + 12 > frame.plot.right();
    const QRectF box(atLeft ? at.x() - width - 7 : at.x() + 7, at.y() - metrics.height() - 4, width,
                     metrics.height());
    const bool meets =
        std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(box); });
    if (meets || box.left() < frame.plot.left()) continue;
    taken.push_back(box);
    drawHaloText(painter, {box.left(), box.bottom() - metrics.descent()}, mark->text,
                 Theme::current().text);
  }
}

/// The title, and at its right end what each curve is.
void TimeChart::drawHeading(QPainter& painter, const PlotFrame& frame) const {
  drawTitle(painter, frame, plot_.title, {});
  if (plot_.curves.size() < 2) return;
  constexpr int kSample = 22;
  const QFontMetrics metrics(painter.font(), painter.device());
  QFont bold = painter.font();
  bold.setBold(true);
  const int least = frame.title.left() + QFontMetrics(bold).horizontalAdvance(plot_.title) + 12;
  int right = frame.title.right();
  for (const TimeCurve& curve : plot_.curves) {
    const int width = metrics.horizontalAdvance(curve.name);
    if (right - width - kSample < least) break;
    painter.setPen(Theme::current().text);
    painter.drawText(QRect(right - width, frame.title.top(), width + 1, frame.title.height()),
                     Qt::AlignVCenter, curve.name);
    painter.setPen(QPen(curve.color, 2, curve.style));
    const int middle = frame.title.center().y();
    painter.drawLine(right - width - kSample, middle, right - width - 5, middle);
    right -= width + kSample + 14;
  }
}

}  // namespace hw
