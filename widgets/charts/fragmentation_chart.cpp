#include "widgets/charts/fragmentation_chart.h"

#include <cmath>

#include "core/picture/chart_scene.h"
#include "core/plan/fragmentation_curve.h"
#include "widgets/base/seen.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/plot/step_marker.h"
#include "widgets/plot/step_mouse.h"
#include "widgets/plot/zoom.h"

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
    : QChartView(new QChart, parent),
      state_(state),
      x_(new QCategoryAxis(this)),
      y_(new QCategoryAxis(this)) {
  setAccessibleName(tr("Fragmentation over the steps"));
  setMouseTracking(true);
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  setTicks(*y_, 0, 1, numberTicks(0, 1, 0.01, "%"));
  const auto repaint = [this] { viewport()->update(); };
  connect(state, &ViewState::visibleChanged, this, &FragmentationChart::showVisible);
  connect(state, &ViewState::axisChanged, this, &FragmentationChart::showVisible);
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::markedStepsChanged, this, repaint);
  const auto axis = [this] { return stepAxis(); };
  new StepMouse(state, viewport(), axis);
  new StepMarker(state, viewport(), axis);  // Last, so that it sees clicks with Ctrl first.
  new SeenWatch(viewport(), [this] { makeMissing(); });
  applyTheme();
  showVisible();
}

void FragmentationChart::setPool(PoolId pool) {
  if (pool == pool_) return;
  pool_ = pool;
  making_.drop();
  curves_.clear();
  showVisible();
  makeMissing();
}

void FragmentationChart::setEntries(std::vector<Entry> entries) {
  entries_ = std::move(entries);
  for (QLineSeries* line : lines_) {
    chart()->removeSeries(line);
    line->deleteLater();
  }
  lines_.clear();
  for (const Entry& entry : entries_) {
    auto* line = new QLineSeries(this);
    line->setName(entry.name);
    chart()->addSeries(line);
    line->attachAxis(x_);
    line->attachAxis(y_);
    lines_.push_back(line);
  }
  std::erase_if(curves_, [&](const auto& curve) {
    return std::ranges::find(entries_, curve.first, &Entry::run) == entries_.end();
  });
  applyTheme();
  showVisible();
  makeMissing();
}

void FragmentationChart::makeMissing() {
  std::vector<std::shared_ptr<const Run>> missing;
  for (const Entry& entry : entries_) {
    if (!curves_.contains(entry.run)) missing.push_back(entry.run);
  }
  if (missing.empty() || !isSeen(this)) return;
  const auto make = [missing, pool = pool_] {
    Curves curves;
    for (const auto& run : missing) curves[run] = fragmentationSteps(*run, pool);
    return curves;
  };
  making_.start(false, make, [this](Curves made) {
    curves_.merge(made);
    showVisible();
  });
}

void FragmentationChart::showVisible() {
  const double begin = state_->visibleBegin();
  const double end = state_->visibleEnd();
  // As far apart as a chart of this width wants them: QtCharts hides labels that would meet.
  setTicks(*x_, begin, end, RunAxis{.begin = begin, .end = end, .unit = state_->axis()}.ticks(0.1));
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto curve = curves_.find(entries_[i].run);
    QList<QPointF> points;
    if (curve != curves_.end()) {
      const RunScale scale(*entries_[i].run, state_->axis());
      for (const Point& point :
           stairs(curve->second, scale.toSteps(begin), scale.toSteps(end), kMostPoints)) {
        points.append({scale.fromSteps(point.x), point.y / kMillion});
      }
    }
    lines_[i]->replace(points);
  }
  viewport()->update();
}

void FragmentationChart::applyTheme() {
  styleChart(*this);
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i]->setPen(penOf(seriesStroke(i)));
}

void FragmentationChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

RunAxis FragmentationChart::stepAxis() const {
  const QRectF plot = chart()->plotArea();
  return runAxis(*state_, toBox(plot));
}

void FragmentationChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  PainterCanvas canvas(*painter);
  const QRectF plot = chart()->plotArea();
  if (entries_.empty()) {
    canvas.text({plot.center().x(), plot.center().y()}, "Open a model first",
                {.ink = Ink::muted, .anchor = Anchor::middle});
  } else {
    drawNow(canvas, {.whole = toBox(viewport()->rect()), .plot = toBox(plot)}, stepAxis(),
            nowOf(*state_));
  }
  painter->restore();
}

}  // namespace hw
