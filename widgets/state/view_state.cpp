#include "widgets/state/view_state.h"

#include <algorithm>

#include "core/insight/stop_scan.h"
#include "widgets/jobs/background.h"
#include "widgets/state/same_stay.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// The place of a moment among the steps.
double placeInSteps(const Run& run, std::size_t moment, Step step) {
  if (moment == 0 && step == Step(0)) return 0;
  const std::size_t first = run.trace.indexOfStep(step);
  const std::size_t last = run.trace.indexOfStep(step + Step(1));
  if (first >= last) return static_cast<double>(step.count()) + 0.5;
  const double done = static_cast<double>(moment - std::min(moment, first));
  const double all = static_cast<double>(last - first) + 1;
  return static_cast<double>(step.count()) + std::clamp(done / all, 0.0, 0.999);
}

std::shared_ptr<const Coloring> coloringOf(const Run* run, ColorBy by) {
  return run && by != ColorBy::type ? std::make_shared<const Coloring>(*run, by)
                                    : Coloring::byType();
}

std::shared_ptr<const RunScale> scaleOf(const Run* run, AxisUnit wanted) {
  if (!run) return std::make_shared<const RunScale>();
  return std::make_shared<const RunScale>(*run, isTimed(*run) ? wanted : AxisUnit::step);
}

}  // namespace

StepPlace placeIn(const Run& from, const StepPlace& place, const Run& to) {
  const SameThings same(from, to);
  return same.same() ? place : StepPlace{same.step(place.step), {}};
}

ViewState::ViewState(QObject* parent)
    : QObject(parent),
      scale_(std::make_shared<const RunScale>()),
      events_(std::make_shared<const EventOrder>()) {}

void ViewState::setScale(std::shared_ptr<const RunScale> scale) {
  scale_ = std::move(scale);
  events_ = run_ ? std::make_shared<const EventOrder>(run_->timeline, axis() == AxisUnit::step)
                 : std::make_shared<const EventOrder>();
}

void ViewState::setRun(std::shared_ptr<const Run> run) {
  const auto before = run_;  // Until every view has let go of it.
  std::optional<SameThings> same;
  if (run_ && run && run_->model == run->model) same.emplace(*run_, *run);
  selected_ = same ? same->stay(selected_) : StayId();
  part_ = {};
  selectedOp_ = same ? same->op(selectedOp_) : OpId();
  activity_ = {};
  hovered_ = {};
  run_ = std::move(run);
  ghosts_.clear();
  moment_ = 0;
  step_ = Step(0);
  time_ = SimTime();
  setScale(scaleOf(run_.get(), wanted_));
  leastLength_ = 0;
  visibleBegin_ = 0;
  visibleEnd_ = length();
  filter_ = nullptr;
  coloring_ = coloringOf(run_.get(), colorBy_);
  const auto kept = [&](const std::optional<Interval<Step>>& steps) {
    return same && steps ? insideRun(same->steps(*steps)) : std::nullopt;
  };
  marked_ = kept(marked_);
  statistics_ = kept(statistics_);
  Q_EMIT runChanged();
  Q_EMIT visibleChanged();
  Q_EMIT filterChanged();
  Q_EMIT markedStepsChanged();
  Q_EMIT statisticsRangeChanged();
  Q_EMIT momentChanged();
  Q_EMIT selectionChanged();
  Q_EMIT hoverChanged();
  // Freeing the million names of a large run takes longer than a frame: the last reference is
  // handed to another thread, which frees it.
  if (before && !isSmallRun(*before)) QThreadPool::globalInstance()->start([before] {});
}

void ViewState::setColorBy(ColorBy by) {
  if (by == colorBy_) return;
  colorBy_ = by;
  coloring_ = coloringOf(run_.get(), by);
  Q_EMIT coloringChanged();
}

void ViewState::setMoment(std::size_t events) {
  if (!run_) return;
  const std::size_t moment = std::min(events, run_->trace.size());
  const Step step = moment == 0 ? Step(0) : Step(run_->trace.event(moment - 1).step);
  moveTo(moment, step);
}

Step ViewState::steps() const { return run_ ? stepsOf(*run_) : Step(1); }

void ViewState::setStep(Step step) {
  if (!run_) return;
  const StopPoint point = pointOfStep(*run_, std::clamp(step, Step(0), steps() - Step(1)));
  moveTo(point.moment, point.step);
}

void ViewState::setMomentOf(std::size_t events, Step step) {
  if (!run_) return;
  moveTo(std::min(events, run_->trace.size()), std::clamp(step, Step(0), steps() - Step(1)));
}

/// The step whose column it is, also where ops of later steps have begun already.
void ViewState::setTime(SimTime time) {
  if (!run_ || !isTimed(*run_)) return;
  time = std::clamp(time, SimTime(), run_->timing.makespan);
  const RunScale steps = axis() == AxisUnit::time ? *scale_ : RunScale(*run_, AxisUnit::time);
  moveTo(run_->trace.indexAt(time), steps.stepAt(static_cast<double>(time.count())), time);
}

void ViewState::setAxis(AxisUnit unit) {
  wanted_ = unit;
  const auto before = scale_;
  setScale(scaleOf(run_.get(), wanted_));
  if (scale_->unit() == before->unit()) return;
  const bool whole = visibleBegin_ <= 0 && visibleEnd_ >= before->length();
  const double begin = scale_->fromSteps(before->toSteps(visibleBegin_));
  const double end = scale_->fromSteps(before->toSteps(visibleEnd_));
  leastLength_ = 0;
  visibleBegin_ = 0;
  visibleEnd_ = length();
  if (!whole) setVisible(begin, end);
  Q_EMIT axisChanged();
  Q_EMIT visibleChanged();
}

double ViewState::length() const { return std::max(scale_->length(), leastLength_); }

void ViewState::setLeastLength(double length) {
  const bool whole = visibleBegin_ <= 0 && visibleEnd_ >= this->length();
  leastLength_ = length;
  if (whole) {
    showAll();
  } else {
    setVisible(visibleBegin_, visibleEnd_);
  }
}

void ViewState::goToPlace(double place) {
  if (axis() == AxisUnit::time) {
    setTime(SimTime(static_cast<std::int64_t>(std::clamp(place, 0.0, scale_->length()))));
  } else {
    setStep(scale_->stepAt(place));
  }
}

double ViewState::placeOf(std::size_t moment, Step step) const {
  if (!run_) return 0;
  if (axis() == AxisUnit::step) return placeInSteps(*run_, moment, step);
  return static_cast<double>(timeOfMoment(*run_, moment, step).count());
}

void ViewState::moveTo(std::size_t moment, Step step) {
  moveTo(moment, step, run_ ? timeOfMoment(*run_, moment, step) : SimTime());
}

void ViewState::moveTo(std::size_t moment, Step step, SimTime time) {
  if (moment == moment_ && step == step_ && time == time_) return;
  moment_ = moment;
  step_ = step;
  time_ = time;
  Q_EMIT momentChanged();
  if (follows_) revealPlayhead();
}

StepPlace ViewState::place() const {
  if (!run_ || pointOfStep(*run_, step_).moment == moment_) return {step_, {}};
  if (!run_->timing.activities.sequential()) return {step_, moment_};
  return {step_, moment_ - std::min(moment_, run_->trace.indexOfStep(step_))};
}

void ViewState::goTo(const StepPlace& place) {
  if (!run_) return;
  if (!place.events) return setStep(place.step);
  // In time, events of one step lie between those of others: all that have happened are counted.
  if (!run_->timing.activities.sequential()) return setMomentOf(*place.events, place.step);
  const std::size_t first = run_->trace.indexOfStep(place.step);
  const std::size_t last = run_->trace.indexOfStep(place.step + Step(1));
  setMomentOf(std::min(first + *place.events, last), place.step);
}

void ViewState::setFollows(bool follows) {
  follows_ = follows;
  if (follows_) revealPlayhead();
}

/// In the middle, so that going on in either direction does not move the picture at every step.
void ViewState::revealPlayhead() {
  const double at = playheadOf(*this);
  if (at >= visibleBegin_ && at < visibleEnd_) return;
  const double half = (visibleEnd_ - visibleBegin_) / 2;
  setVisible(at - half, at + half);
}

void ViewState::select(StayId stay) { selectPart(stay, {}); }

void ViewState::selectPart(StayId stay, TensorId part) {
  if (run_ && stay && !run_->problem.stays.contains(stay)) return;
  if (selected_ == stay && part_ == part && !activity_) return;
  if (selected_ == stay && !activity_) {
    part_ = part;
    Q_EMIT selectionChanged();
    return;
  }
  selected_ = stay;
  part_ = part;
  activity_ = {};
  ghosts_.clear();
  Q_EMIT selectionChanged();
}

void ViewState::selectOp(OpId op) {
  if (selectedOp_ == op && !activity_) return;
  selectedOp_ = op;
  activity_ = {};
  Q_EMIT selectionChanged();
}

void ViewState::selectActivity(ActivityId activity) {
  if (!run_ || !run_->timing.times.contains(activity) || activity == activity_) return;
  const Activity& what = run_->timing.activities.activities[activity];
  activity_ = activity;
  selectedOp_ = what.op;
  selected_ = what.to ? what.to : what.from;
  part_ = {};
  ghosts_.clear();
  Q_EMIT selectionChanged();
}

void ViewState::hover(StayId stay) {
  if (hovered_ == stay) return;
  hovered_ = stay;
  Q_EMIT hoverChanged();
}

void ViewState::setFilter(std::shared_ptr<const StayFilter> filter) {
  if (filter_ == filter) return;
  filter_ = std::move(filter);
  Q_EMIT filterChanged();
}

std::optional<Interval<Step>> ViewState::insideRun(std::optional<Interval<Step>> steps) const {
  if (!run_ || !steps) return {};
  const Interval<Step> inside{std::max(steps->begin, Step(0)), std::min(steps->end, this->steps())};
  return inside.empty() ? std::nullopt : std::optional(inside);
}

void ViewState::markSteps(std::optional<Interval<Step>> steps) {
  const auto marked = insideRun(steps);
  if (marked == marked_) return;
  marked_ = marked;
  Q_EMIT markedStepsChanged();
}

void ViewState::restrictStatistics(std::optional<Interval<Step>> steps) {
  auto restricted = insideRun(steps);
  if (restricted && restricted->length() == this->steps()) restricted.reset();
  if (restricted == statistics_) return;
  statistics_ = restricted;
  Q_EMIT statisticsRangeChanged();
}

void ViewState::setVisible(double begin, double end) {
  const double all = this->length();
  const double length = std::clamp(end - begin, scale_->leastVisible(), all);
  begin = std::clamp(begin, 0.0, all - length);
  end = begin + length;
  if (begin == visibleBegin_ && end == visibleEnd_) return;
  visibleBegin_ = begin;
  visibleEnd_ = end;
  Q_EMIT visibleChanged();
}

void ViewState::setMarks(std::vector<double> places) {
  if (marks_ == places) return;
  marks_ = std::move(places);
  Q_EMIT decorationChanged();
}

void ViewState::setGhosts(std::vector<Ghost> ghosts) {
  if (ghosts_ == ghosts) return;
  ghosts_ = std::move(ghosts);
  Q_EMIT decorationChanged();
}

void ViewState::showAll() { setVisible(0, length()); }

void ViewState::reveal(Step step) {
  const Interval<double> at = scale_->during(step);
  if (at.begin >= visibleBegin_ && at.end <= visibleEnd_) return;
  const double half = (visibleEnd_ - visibleBegin_) / 2;
  setVisible(at.begin - half, at.begin + half);
}

void ViewState::goToPeak() {
  if (!run_) return;
  const auto used = std::ranges::find_if(run_->metrics.pools,
                                         [](const PoolMetrics& pool) { return pool.stays > 0; });
  if (used == run_->metrics.pools.end()) return;
  const std::pair before(moment_, step_);
  setStep(used->peakStep);
  if (std::pair(moment_, step_) == before) setStep(used->atTop.step);
}

double playheadOf(const ViewState& state) {
  if (state.axis() == AxisUnit::time) return static_cast<double>(state.time().count());
  return state.placeOf(state.moment(), state.step());
}

QString placeText(const ViewState& state, double place) {
  const QString step = ViewState::tr("step %1").arg(grouped(state.scale()->stepAt(place).count()));
  if (state.axis() == AxisUnit::step) return step;
  const SimTime time(static_cast<std::int64_t>(std::max(0.0, place)));
  return QStringLiteral("%1 (%2)").arg(viewText(formatTime(time)), step);
}

SimTime timeOfMoment(const Run& run, std::size_t moment, Step step) {
  if (!isTimed(run)) return SimTime();
  const SimTime last = moment == 0 ? SimTime() : run.trace.timeOf(moment - 1);
  const auto index = static_cast<std::size_t>(std::max(step, Step()).count());
  if (index >= run.timing.ops.size() || pointOfStep(run, step).moment != moment) return last;
  const SimTime next = moment < run.trace.size() ? run.trace.timeOf(moment) : run.timing.makespan;
  return std::clamp(run.timing.ops[index].time.begin, last, std::max(last, next));
}

PlotNow nowOf(const ViewState& state) {
  PlotNow now{playheadOf(state), state.marks(), {}};
  if (const auto marked = state.markedSteps()) {
    now.marked = {state.scale()->begin(marked->begin), state.scale()->begin(marked->end)};
  }
  return now;
}

}  // namespace hw
