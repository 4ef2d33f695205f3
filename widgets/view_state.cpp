#include "widgets/view_state.h"

#include <algorithm>

#include "core/run/stop_scan.h"
#include "widgets/jobs/background.h"
#include "widgets/same_stay.h"

namespace hw {

StayId sameStay(const Run* previous, StayId stay, const Run* next) {
  if (!previous || !next || !stay || previous->model != next->model) return {};
  if (next->model->problem) return next->problem.stays.contains(stay) ? stay : StayId();
  const TensorId root = previous->storage.buffers[previous->problem.stays[stay].buffer].root;
  const auto& slot = next->storage.slots[root];
  if (!slot) return {};
  for (const StayId id : next->problem.stays.keys()) {
    if (next->problem.stays[id].buffer == slot->buffer) return id;
  }
  return {};
}

std::vector<bool> sameStays(const Run& previous, const std::vector<bool>& marked, const Run& next) {
  if (previous.model->problem) return marked;
  std::vector<bool> tensors(previous.graph().tensors.size(), false);
  for (const StayId stay : previous.problem.stays.keys()) {
    if (stay.index() >= marked.size() || !marked[stay.index()]) continue;
    const BufferId buffer = previous.problem.stays[stay].buffer;
    for (const TensorId tensor : previous.storage.buffers[buffer].tensors) {
      tensors[tensor.index()] = true;
    }
  }
  std::vector<bool> same(next.problem.stays.size(), false);
  for (const StayId stay : next.problem.stays.keys()) {
    const BufferId buffer = next.problem.stays[stay].buffer;
    same[stay.index()] = tensors[next.storage.buffers[buffer].root.index()];
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
  // Freeing a million names takes longer than a frame: somebody else's time.
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

void ViewState::setHexAddresses(bool hex) {
  if (hexAddresses_ == hex) return;
  hexAddresses_ = hex;
  Q_EMIT decorationChanged();
}

void ViewState::showAll() { setVisible(0, static_cast<double>(steps().count())); }

}  // namespace hw
