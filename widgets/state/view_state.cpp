#include "widgets/state/view_state.h"

#include <algorithm>

#include "core/insight/stop_scan.h"
#include "widgets/jobs/background.h"
#include "widgets/state/same_stay.h"

namespace hw {

StayId sameStay(const Run* previous, StayId stay, const Run* next) {
  if (!previous || !next || !stay || previous->model != next->model) return {};
  const BufferId buffer = next->storage.bufferOf(previous->stayTensor(stay));
  if (!buffer) return {};
  for (const StayId id : next->problem.stays.keys()) {
    if (next->problem.stays[id].buffer == buffer) return id;
  }
  return {};
}

std::vector<bool> sameStays(const Run& previous, const std::vector<bool>& marked, const Run& next) {
  std::vector<bool> tensors(previous.graph().tensors.size(), false);
  for (const StayId stay : previous.problem.stays.keys()) {
    if (stay.index() >= marked.size() || !marked[stay.index()]) continue;
    const BufferId buffer = previous.problem.stays[stay].buffer;
    for (const TensorId tensor : previous.storage.tensorsOf(buffer)) tensors[tensor.index()] = true;
  }
  std::vector<bool> same(next.problem.stays.size(), false);
  for (const StayId stay : next.problem.stays.keys()) {
    same[stay.index()] = tensors[next.stayTensor(stay).index()];
  }
  return same;
}

ViewState::ViewState(QObject* parent) : QObject(parent) {}

void ViewState::setRun(std::shared_ptr<const Run> run) {
  const auto before = run_;  // Until every view has let go of it.
  const bool sameModel = run_ && run && run_->model == run->model;
  selected_ = sameStay(run_.get(), selected_, run.get());
  if (!sameModel) selectedOp_ = {};
  hovered_ = {};
  run_ = std::move(run);
  ghosts_.clear();
  moment_ = 0;
  step_ = Step(0);
  visibleBegin_ = 0;
  visibleEnd_ = static_cast<double>(steps().count());
  filter_ = nullptr;
  marked_ = sameModel ? insideRun(marked_) : std::nullopt;
  statistics_ = sameModel ? insideRun(statistics_) : std::nullopt;
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

void ViewState::setMoment(std::size_t events) {
  if (!run_) return;
  const std::size_t moment = std::min(events, run_->trace.size());
  const Step step = moment == 0 ? Step(0) : Step(run_->trace.event(moment - 1).step);
  moveTo(moment, step);
}

Step ViewState::steps() const {
  if (!run_) return Step(1);
  return std::max({Step(1), run_->problem.steps, run_->schedule.steps()});
}

void ViewState::setStep(Step step) {
  if (!run_) return;
  const StopPoint point = pointOfStep(*run_, std::clamp(step, Step(0), steps() - Step(1)));
  moveTo(point.moment, point.step);
}

void ViewState::setMomentOf(std::size_t events, Step step) {
  if (!run_) return;
  moveTo(std::min(events, run_->trace.size()), std::clamp(step, Step(0), steps() - Step(1)));
}

void ViewState::moveTo(std::size_t moment, Step step) {
  if (moment == moment_ && step == step_) return;
  moment_ = moment;
  step_ = step;
  Q_EMIT momentChanged();
  if (follows_) revealPlayhead();
}

StepPlace ViewState::place() const {
  if (!run_ || pointOfStep(*run_, step_).moment == moment_) return {step_, {}};
  return {step_, moment_ - std::min(moment_, run_->trace.indexOfStep(step_))};
}

void ViewState::goTo(const StepPlace& place) {
  if (!run_) return;
  if (!place.events) return setStep(place.step);
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
  const double at = playheadStep(*this);
  if (at >= visibleBegin_ && at < visibleEnd_) return;
  const double half = (visibleEnd_ - visibleBegin_) / 2;
  setVisible(at - half, at + half);
}

void ViewState::select(StayId stay) {
  if (run_ && stay && !run_->problem.stays.contains(stay)) return;
  if (selected_ == stay) return;
  selected_ = stay;
  ghosts_.clear();
  Q_EMIT selectionChanged();
}

void ViewState::selectOp(OpId op) {
  if (selectedOp_ == op) return;
  selectedOp_ = op;
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
  constexpr double kLeast = 0.25;
  const auto all = static_cast<double>(steps().count());
  const double length = std::clamp(end - begin, std::min(kLeast, all), all);
  begin = std::clamp(begin, 0.0, all - length);
  end = begin + length;
  if (begin == visibleBegin_ && end == visibleEnd_) return;
  visibleBegin_ = begin;
  visibleEnd_ = end;
  Q_EMIT visibleChanged();
}

void ViewState::setMarks(std::vector<double> steps) {
  if (marks_ == steps) return;
  marks_ = std::move(steps);
  Q_EMIT decorationChanged();
}

void ViewState::setGhosts(std::vector<Ghost> ghosts) {
  if (ghosts_ == ghosts) return;
  ghosts_ = std::move(ghosts);
  Q_EMIT decorationChanged();
}

void ViewState::showAll() { setVisible(0, static_cast<double>(steps().count())); }

void ViewState::reveal(Step step) {
  const auto at = static_cast<double>(step.count());
  if (at >= visibleBegin_ && at + 1 <= visibleEnd_) return;
  const double half = (visibleEnd_ - visibleBegin_) / 2;
  setVisible(at - half, at + half);
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

double playheadStep(const ViewState& state) {
  return state.run() ? playheadAt(*state.run(), state.moment(), state.step()) : 0;
}

double playheadAt(const Run& run, std::size_t moment, Step step) {
  if (moment == 0 && step == Step(0)) return 0;
  const std::size_t first = run.trace.indexOfStep(step);
  const std::size_t last = run.trace.indexOfStep(step + Step(1));
  if (first >= last) return static_cast<double>(step.count()) + 0.5;
  const double done = static_cast<double>(moment - std::min(moment, first));
  const double all = static_cast<double>(last - first) + 1;
  return static_cast<double>(step.count()) + std::clamp(done / all, 0.0, 0.999);
}

PlotNow nowOf(const ViewState& state) {
  return {playheadStep(state), state.marks(), state.markedSteps()};
}

}  // namespace hw
