#include "widgets/charts/search_panel.h"

#include <QHBoxLayout>
#include <QLegendMarker>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/picture/chart_scene.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

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

namespace {

/// Live samples are thinned when there are more; changes are kept.
constexpr std::size_t kMostLive = 8'000;

QString count(double number) {
  return QString::fromStdString(groupDigits(static_cast<std::int64_t>(number)));
}

QString searchTimeText(double seconds) { return timeText(SimTime(std::llround(seconds * 1e12))); }

bool changes(const ExactProgress& before, const ExactProgress& after) {
  return before.incumbent != after.incumbent || before.bound != after.bound ||
         before.winner != after.winner;
}

/// Drops every other sample that says nothing new of incumbent or bound.
void thin(std::vector<ExactProgress>& samples) {
  std::vector<ExactProgress> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool news = i == 0 || i + 1 == samples.size() || changes(samples[i - 1], samples[i]);
    if (news || i % 2 == 0) kept.push_back(std::move(samples[i]));
  }
  samples = std::move(kept);
}

TimePlot peaksPlot(const std::vector<ExactProgress>& samples) {
  const Theme& theme = Theme::current();
  TimePlot plot{.title = SearchPanel::tr("Peak of the best plan so far"), .fromZero = false};
  TimeCurve incumbent{.name = SearchPanel::tr("best plan"), .color = theme.highWater};
  TimeCurve bound{
      .name = SearchPanel::tr("lower bound"), .color = theme.lowerBound, .style = Qt::DashLine};
  QString winner;
  for (const ExactProgress& each : samples) {
    const auto peak = static_cast<double>(each.incumbent.count());
    incumbent.samples.emplace_back(each.seconds, peak);
    bound.samples.emplace_back(each.seconds, static_cast<double>(each.bound.count()));
    const QString found = QString::fromStdString(printable(each.winner, 40));
    if (found != winner) plot.marks.push_back({{each.seconds, peak}, found});
    winner = found;
  }
  plot.seconds = samples.back().seconds;
  plot.curves = {std::move(incumbent), std::move(bound)};
  return plot;
}

TimePlot speedPlot(const std::vector<ExactProgress>& samples) {
  TimePlot plot{.title = SearchPanel::tr("Nodes per second"), .isBytes = false};
  plot.curves = {{.name = {}, .color = Theme::current().live, .samples = searchSpeed(samples)}};
  plot.seconds = samples.back().seconds;
  return plot;
}

}  // namespace

std::vector<QPointF> searchSpeed(const std::vector<ExactProgress>& samples) {
  std::vector<QPointF> speed;
  if (samples.empty() || samples.back().seconds <= 0) return speed;
  const double least = samples.back().seconds / 60;
  double from = 0;
  std::int64_t nodes = 0;
  for (const ExactProgress& each : samples) {
    const bool last = &each == &samples.back();
    if (each.seconds - from < least && !last) continue;
    const double length = each.seconds - from;
    if (length > 0) speed.emplace_back(from, static_cast<double>(each.nodes - nodes) / length);
    from = each.seconds;
    nodes = each.nodes;
  }
  return speed;
}

SearchPanel::SearchPanel(ViewState* state, PlanJob* job, QWidget* parent)
    : QWidget(parent),
      state_(state),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      pool_(new QComboBox(this)),
      facts_(new QLabel(this)),
      peaks_(new TimeChart(this)),
      speed_(new TimeChart(this)) {
  build();
  connect(state, &ViewState::runChanged, this, &SearchPanel::showRun);
  connect(job, &PlanJob::started, this, &SearchPanel::forgetLive);
  connect(job, &PlanJob::ended, this, &SearchPanel::showRun);
  connect(job, &PlanJob::searched, this, &SearchPanel::follow);
  connect(pool_, &QComboBox::currentIndexChanged, this, &SearchPanel::showPool);
  showRun();
}

void SearchPanel::build() {
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(12);
  pool_->setAccessibleName(tr("Pool"));
  pool_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  facts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  peaks_->setAccessibleName(tr("Best plan and lower bound over the time of the search"));
  speed_->setAccessibleName(tr("Nodes per second over the time of the search"));
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 3, 8, 3);
  head->setSpacing(8);
  head->addWidget(pool_);
  head->addWidget(facts_, 1);
  auto* charts = new QHBoxLayout;
  charts->setSpacing(0);
  charts->addWidget(peaks_, 2);
  charts->addWidget(speed_, 1);
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addLayout(charts, 1);
  stack_->addWidget(empty_);
  stack_->addWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
}

QString SearchPanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

void SearchPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showPool();
}

/// The old search stays on show until the new one has something to tell.
void SearchPanel::forgetLive() { live_ = false; }

void SearchPanel::follow(const QString& pool, const ExactProgress& now) {
  if (!live_) histories_.clear();
  live_ = true;
  const std::string name = pool.toStdString();
  auto found = std::ranges::find(histories_, name, &SearchHistory::pool);
  const bool fresh = found == histories_.end();
  if (fresh) found = histories_.insert(histories_.end(), SearchHistory{.pool = name});
  // Time went back: the pool is being planned again, with other stays in it.
  if (!found->samples.empty() && now.seconds < found->samples.back().seconds) {
    found->samples.clear();
  }
  found->samples.push_back(now);
  if (found->samples.size() > kMostLive) thin(found->samples);
  const auto row = static_cast<int>(found - histories_.begin());
  if (fresh) showPools();
  if (pool_->currentIndex() == row) showPool();
}

void SearchPanel::showRun() {
  live_ = false;
  const auto run = state_->run();
  histories_ = run ? searchHistories(run->plan) : std::vector<SearchHistory>();
  showPools();
}

void SearchPanel::showPools() {
  const QString before = pool_->currentText();
  {
    const QSignalBlocker quiet(pool_);
    pool_->clear();
    for (const SearchHistory& each : histories_) {
      pool_->addItem(QString::fromStdString(printable(each.pool, 40)));
    }
    pool_->setCurrentIndex(histories_.empty() ? -1 : std::max(0, pool_->findText(before)));
  }
  stack_->setCurrentIndex(histories_.empty() ? 0 : 1);
  empty_->setText(histories_.empty() ? whyEmpty() : QString());
  showPool();
}

void SearchPanel::showPool() {
  const int index = pool_->currentIndex();
  if (index < 0 || static_cast<std::size_t>(index) >= histories_.size()) return;
  const auto& samples = histories_[static_cast<std::size_t>(index)].samples;
  facts_->setText(factsOf(samples));
  facts_->setToolTip(facts_->text());
  peaks_->setPlot(peaksPlot(samples));
  speed_->setPlot(speedPlot(samples));
}

QString SearchPanel::whyEmpty() const {
  const auto run = state_->run();
  if (!run) return tr("Open a model: how the search for its plan went is shown here.");
  const AllocatorInfo* info = run->request.allocator.info;
  const QString name =
      info ? QString::fromUtf8(info->name.data(), std::ssize(info->name)) : tr("This allocator");
  if (info && info->isSearch) {
    return tr("%1 keeps no times of its search; what it tried is in the clock Decisions.\n"
              "Plan with best, exact or fast to see a search over time.")
        .arg(name);
  }
  return tr("%1 does not search: it decides once for every tensor.\n"
            "Plan with best, exact or fast to see a search over time.")
      .arg(name);
}

QString SearchPanel::factsOf(const std::vector<ExactProgress>& samples) const {
  const ExactProgress& last = samples.back();
  const QString winner = QString::fromStdString(printable(last.winner, 60));
  const QString gap = last.incumbent <= last.bound ? tr("proved optimal")
                                                   : tr("%1 % above the lower bound %2")
                                                         .arg(100 * last.gap(), 0, 'f', 2)
                                                         .arg(sizeText(last.bound));
  const QString facts =
      tr("%1 by \u201c%2\u201d, %3, %4 nodes in %5")
          .arg(sizeText(last.incumbent), winner, gap, count(static_cast<double>(last.nodes)),
               searchTimeText(last.seconds));
  const QString rate =
      last.seconds > 0 ? tr("; %1 nodes/s").arg(count(last.nodesPerSecond())) : QString();
  return (live_ ? tr("Searching: %1").arg(facts) : facts) + rate;
}

}  // namespace hw
