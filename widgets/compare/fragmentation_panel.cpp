#include "widgets/compare/fragmentation_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "core/picture/chart_scene.h"
#include "core/plan/fragmentation_curve.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

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

FragmentationPanel::FragmentationPanel(ViewState* state, CompareModel* model, QWidget* parent)
    : QWidget(parent),
      state_(state),
      model_(model),
      which_(new QComboBox(this)),
      pool_(new QComboBox(this)),
      chart_(new FragmentationChart(state, this)) {
  which_->addItems({tr("Plans on show"), tr("All that fit")});
  which_->setObjectName(QStringLiteral("fragmentationRuns"));
  which_->setAccessibleName(tr("Whose fragmentation is drawn"));
  which_->setToolTip(tr("A and the plans below it, or the first %1 rows of the comparison that fit")
                         .arg(kSeriesInks));
  pool_->setObjectName(QStringLiteral("fragmentationPool"));
  pool_->setAccessibleName(tr("Pool"));
  chart_->setToolTip(
      tr("1 \u2212 largest hole / all holes below the highest live byte, at every "
         "step; its mean is the table's figure. A click goes to that step"));
  setMinimumSize(240, 90);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(4, 2, 4, 2);
  head->addWidget(which_);
  head->addWidget(pool_);
  head->addStretch(1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(chart_, 1);
  const auto again = [this] { showRuns(); };
  connect(state, &ViewState::runChanged, this, [this] {
    showPools();
    showRuns();
  });
  connect(which_, &QComboBox::currentIndexChanged, this, again);
  connect(model_, &QAbstractItemModel::modelReset, this, again);
  connect(pool_, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index >= 0) chart_->setPool(PoolId(static_cast<std::size_t>(index)));
  });
  showPools();
  showRuns();
}

void FragmentationPanel::showPools() {
  const int before = std::max(0, pool_->currentIndex());
  const QSignalBlocker quiet(pool_);
  pool_->clear();
  const auto run = state_->run();
  pool_->setEnabled(run != nullptr);
  pool_->setToolTip(run ? tr("The pool that is looked at") : tr("Open a model first"));
  if (!run) return;
  for (const PoolId pool : run->problem.pools.keys()) pool_->addItem(poolText(*run, pool));
  pool_->setCurrentIndex(std::min(before, pool_->count() - 1));
  chart_->setPool(PoolId(static_cast<std::size_t>(pool_->currentIndex())));
}

void FragmentationPanel::setBelow(std::vector<std::shared_ptr<const Run>> runs) {
  below_ = std::move(runs);
  showRuns();
}

void FragmentationPanel::showRuns() {
  std::vector<FragmentationChart::Entry> entries;
  const auto run = state_->run();
  if (run) entries.push_back({tr("A: %1").arg(runLabel(*run)), run});
  const bool all = which_->currentIndex() == 1;
  for (std::size_t i = 0; run && !all && i < below_.size(); ++i) {
    entries.push_back({tr("%1: %2").arg(runLetter(i + 1), runLabel(*below_[i])), below_[i]});
  }
  for (int row = 0; run && all && row < model_->rowCount(); ++row) {
    const ComparisonRow& one = *model_->row(row);
    if (!one.fits() || row == model_->rowOfA() || entries.size() == kSeriesInks) continue;
    entries.push_back({runLabel(*one.run), one.run});
  }
  chart_->setEntries(std::move(entries));
}

}  // namespace hw
