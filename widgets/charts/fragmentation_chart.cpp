#include "widgets/charts/fragmentation_chart.h"

#include <QPromise>
#include <QThreadPool>
#include <QValueAxis>
#include <cmath>

#include "core/plan/fragmentation_curve.h"
#include "widgets/charts/series_style.h"
#include "widgets/charts/step_curve.h"
#include "widgets/seen.h"

namespace hw {
namespace {

constexpr double kMillion = 1'000'000;

}  // namespace

StepFunction fragmentationSteps(const Run& run, PoolId pool) {
  StepFunction steps;
  if (!run.problem.pools.contains(pool)) return steps;
  for (const Fragmentation& now : fragmentationCurve(run.problem, run.plan, pool)) {
    const Bytes millionths(std::llround(now.ratio() * kMillion));
    if (!steps.pieces.empty() && steps.pieces.back().value == millionths) continue;
    steps.pieces.push_back({now.step, millionths});
  }
  return steps;
}

FragmentationChart::FragmentationChart(ViewState* state, QWidget* parent)
    : StepChart(state, parent) {
  setAccessibleName(tr("Fragmentation over the steps"));
  y_->setRange(0, 1);
  applyTheme();
  const auto repaint = [this] { viewport()->update(); };
  connect(state, &ViewState::visibleChanged, this, &FragmentationChart::showVisible);
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::markedStepsChanged, this, repaint);
  connect(&worker_, &QFutureWatcherBase::finished, this, &FragmentationChart::acceptCurves);
  new SeenWatch(viewport(), [this] { makeMissing(); });
}

FragmentationChart::~FragmentationChart() = default;

void FragmentationChart::setPool(PoolId pool) {
  if (pool == pool_) return;
  pool_ = pool;
  curves_.clear();
  makeCurves();
}

void FragmentationChart::setEntries(std::vector<Entry> entries) {
  entries_ = std::move(entries);
  for (QLineSeries* line : lines_) removeLine(line);
  lines_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) lines_.push_back(addLine());
  applyTheme();
  makeCurves();
}

void FragmentationChart::makeCurves() {
  showVisible();
  makeMissing();
}

/// One job at a time: what became wanted meanwhile is asked for when it is done.
void FragmentationChart::makeMissing() {
  std::vector<std::shared_ptr<const Run>> missing;
  for (const Entry& entry : entries_) {
    if (!curves_.contains(entry.run)) missing.push_back(entry.run);
  }
  if (missing.empty() || worker_.isRunning() || !isSeen(this)) return;
  auto promise = std::make_shared<QPromise<Curves>>();
  worker_.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, missing, pool = pool_] {
    Curves curves;
    for (const auto& run : missing) curves[run] = fragmentationSteps(*run, pool);
    // Of which pool they are is told by an entry of its own.
    StepFunction mark;
    mark.pieces.push_back({Step(static_cast<std::int64_t>(pool.index())), Bytes()});
    curves[nullptr] = mark;
    promise->addResult(std::move(curves));
    promise->finish();
  });
}

void FragmentationChart::acceptCurves() {
  Curves made = worker_.result();
  const auto pool = made.extract(nullptr).mapped().pieces.front().from.count();
  if (static_cast<std::size_t>(pool) == pool_.index()) {
    Curves kept;
    for (const Entry& entry : entries_) {
      if (const auto node = curves_.find(entry.run); node != curves_.end()) kept.insert(*node);
      if (const auto node = made.find(entry.run); node != made.end()) kept.insert(*node);
    }
    curves_ = std::move(kept);
  }
  makeCurves();
}

void FragmentationChart::showVisible() {
  const double begin = state_->visibleBegin();
  const double end = state_->visibleEnd();
  showSteps();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto curve = curves_.find(entries_[i].run);
    QList<QPointF> points;
    if (curve != curves_.end()) {
      for (const QPointF& point : stairs(curve->second, begin, end, kMostPoints)) {
        points.append({point.x(), point.y() / kMillion});
      }
    }
    lines_[i]->replace(points);
  }
  viewport()->update();
}

QList<QPointF> FragmentationChart::points(std::size_t entry) const {
  return lines_[entry]->points();
}

void FragmentationChart::applyTheme() {
  setBackgroundBrush(Theme::current().plot);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i]->setPen(seriesPen(i, Theme::current()));
  }
}

double FragmentationChart::toY(double ratio) const {
  const QRect plot = plotRect();
  return plot.bottom() + 1 - ratio * plot.height();
}

void FragmentationChart::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  const QRect plot = plotRect();
  painter->save();
  drawStepGrid(*painter);
  for (const double ratio : {0.25, 0.5, 0.75}) {
    painter->drawLine(plot.left(), qRound(toY(ratio)), plot.right(), qRound(toY(ratio)));
  }
  painter->restore();
}

void FragmentationChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  painter->setRenderHint(QPainter::Antialiasing, false);
  painter->setBrush(Qt::NoBrush);
  const PlotFrame frame = this->frame();
  painter->setPen(Theme::current().grid);
  painter->drawRect(frame.plot.adjusted(-1, -1, 0, 0));
  if (entries_.empty()) {
    painter->setPen(Theme::current().mutedText);
    painter->drawText(viewport()->rect(), Qt::AlignCenter, tr("Open a model first"));
  } else {
    painter->setPen(Theme::current().axis);
    for (const double ratio : {0.0, 0.5, 1.0}) {
      const QRectF label(0, toY(ratio) - 10, frame.plot.left() - 6, 20);
      painter->drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                        tr("%1 %").arg(qRound(ratio * 100)));
    }
    drawStepTicks(*painter, frame, stepAxis());
    drawMoment(*painter);
    drawHeading(*painter, frame);
  }
  painter->restore();
}

/// What each curve is, one after the other above the plot, as far as there is room.
void FragmentationChart::drawHeading(QPainter& painter, const PlotFrame& frame) const {
  const QFontMetrics metrics(painter.font(), painter.device());
  constexpr int kSample = 26;
  int left = frame.title.left();
  const int middle = frame.title.center().y();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const int width = metrics.horizontalAdvance(entries_[i].name);
    if (left + kSample + width > frame.title.right()) {
      painter.setPen(Theme::current().mutedText);
      painter.drawText(
          QRect(left, frame.title.top(), frame.title.right() - left, frame.title.height()),
          Qt::AlignVCenter, QStringLiteral("\u2026"));
      break;
    }
    painter.setPen(lines_[i]->pen());
    painter.drawLine(left, middle, left + kSample - 6, middle);
    painter.setPen(Theme::current().text);
    painter.drawText(QRect(left + kSample, frame.title.top(), width + 2, frame.title.height()),
                     Qt::AlignVCenter, entries_[i].name);
    left += kSample + width + 16;
  }
}

}  // namespace hw
