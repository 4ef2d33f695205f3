#include "core/picture/run_scale.h"

#include <algorithm>
#include <cmath>

namespace hw {

bool isTimed(const Run& run) {
  return run.timing.makespan > SimTime() && !run.timing.ops.empty() && run.trace.size() > 0;
}

Step stepsOf(const Run& run) {
  return std::max({Step(1), run.problem.steps, run.schedule.steps()});
}

RunScale::RunScale(const Run& run, AxisUnit unit) : unit_(unit), steps_(stepsOf(run).count()) {
  length_ = static_cast<double>(steps_);
  if (unit == AxisUnit::step) return;
  length_ = std::max(1.0, onAxis(run.timing.makespan));
  double begun = 0;
  for (const OpTiming& op : run.timing.ops) {
    begun = std::max(begun, onAxis(op.time.begin));
    begins_.push_back(begins_.empty() ? 0 : begun);
    ops_.push_back({onAxis(op.time.begin), onAxis(op.time.end)});
  }
}

double RunScale::leastVisible() const {
  constexpr double kLeastSteps = 0.25;
  constexpr double kLeastPicoseconds = 100;
  return std::min(length_, unit_ == AxisUnit::step ? kLeastSteps : kLeastPicoseconds);
}

double RunScale::begin(Step step) const {
  if (unit_ == AxisUnit::step) return static_cast<double>(step.count());
  const auto index = static_cast<std::size_t>(std::max(step, Step()).count());
  return index < begins_.size() ? begins_[index] : length_;
}

Interval<double> RunScale::during(Step step) const {
  const auto index = static_cast<std::size_t>(std::max(step, Step()).count());
  if (unit_ == AxisUnit::time && index < ops_.size()) return ops_[index];
  return {begin(step), begin(step + Step(1))};
}

Step RunScale::stepAt(double place) const {
  const auto last = static_cast<double>(steps_ - 1);
  if (unit_ == AxisUnit::step) {
    return Step(static_cast<std::int64_t>(std::clamp(std::floor(place), 0.0, last)));
  }
  const auto next = std::ranges::upper_bound(begins_, place);
  return Step(std::max<std::int64_t>(0, next - begins_.begin() - 1));
}

double RunScale::fromSteps(double step) const {
  if (unit_ == AxisUnit::step) return step;
  const Step whole(static_cast<std::int64_t>(std::floor(step)));
  const double from = begin(whole);
  return from + (step - std::floor(step)) * (begin(whole + Step(1)) - from);
}

double RunScale::toSteps(double place) const {
  if (unit_ == AxisUnit::step) return place;
  if (place >= length_) return static_cast<double>(steps_);
  const Step step = stepAt(place);
  const double from = begin(step);
  const double width = begin(step + Step(1)) - from;
  return static_cast<double>(step.count()) + (width > 0 ? (place - from) / width : 0);
}

}  // namespace hw
