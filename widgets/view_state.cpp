#include "widgets/view_state.h"

#include <algorithm>

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

ViewState::ViewState(QObject* parent) : QObject(parent) {}

void ViewState::setRun(std::shared_ptr<const Run> run) {
  const bool sameModel = run_ && run && run_->model == run->model;
  selected_ = sameStay(run_.get(), selected_, run.get());
  if (!sameModel) selectedOp_ = {};
  hovered_ = {};
  run_ = std::move(run);
  moment_ = 0;
  step_ = Step(0);
  visibleBegin_ = 0;
  visibleEnd_ = static_cast<double>(steps().count());
  Q_EMIT runChanged();
  Q_EMIT visibleChanged();
  Q_EMIT momentChanged();
  Q_EMIT selectionChanged();
  Q_EMIT hoverChanged();
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
  step = std::clamp(step, Step(0), steps() - Step(1));
  const std::size_t first = run_->trace.indexOfStep(step);
  std::size_t moment = run_->trace.indexOfStep(step + Step(1));
  // What follows the step's last allocation is its end, which has not come yet.
  while (moment > first && run_->trace.event(moment - 1).kind != EventKind::alloc) --moment;
  moveTo(moment, step);
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

void ViewState::showAll() { setVisible(0, static_cast<double>(steps().count())); }

}  // namespace hw
