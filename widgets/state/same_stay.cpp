#include "widgets/state/same_stay.h"

#include <algorithm>

namespace hw {

SameThings::SameThings(const Run& from, const Run& to)
    : from_(from), to_(to), parts_(from.graph(), to.graph()) {
  if (related()) return;
  for (const TensorId id : to.graph().tensors.keys()) {
    byName_.try_emplace(to.graph().tensors[id].name, id);
  }
}

TensorId SameThings::tensor(TensorId tensor) const {
  if (related() || !tensor) return parts_.tensor(tensor);
  const auto named = byName_.find(from_.graph().tensors[tensor].name);
  return named == byName_.end() ? TensorId() : named->second;
}

StayId SameThings::stay(StayId stay) const {
  if (!stay || !from_.problem.stays.contains(stay)) return {};
  const TensorId other = tensor(from_.stayTensor(stay));
  const BufferId buffer = other ? to_.storage.bufferOf(other) : BufferId();
  if (!buffer) return {};
  for (const StayId id : to_.problem.stays.keys()) {
    if (to_.problem.stays[id].buffer == buffer) return id;
  }
  return {};
}

std::vector<bool> SameThings::stays(const std::vector<bool>& marked) const {
  std::vector<bool> same(to_.problem.stays.size(), false);
  std::vector<bool> tensors(to_.graph().tensors.size(), false);
  for (const StayId stay : from_.problem.stays.keys()) {
    if (stay.index() >= marked.size() || !marked[stay.index()]) continue;
    const BufferId buffer = from_.problem.stays[stay].buffer;
    for (const TensorId tensor : from_.storage.tensorsOf(buffer)) {
      if (const TensorId other = this->tensor(tensor)) tensors[other.index()] = true;
    }
  }
  for (const StayId stay : to_.problem.stays.keys()) {
    const auto& held = to_.storage.tensorsOf(to_.problem.stays[stay].buffer);
    const bool root = tensors[to_.stayTensor(stay).index()];
    same[stay.index()] = root || (!parts_.same() && std::ranges::any_of(held, [&](TensorId tensor) {
                           return bool(tensors[tensor.index()]);
                         }));
  }
  return same;
}

std::optional<Step> SameThings::exactStep(Step step) const {
  if (step < Step(0) || step >= from_.schedule.steps()) return std::nullopt;
  const OpId op = parts_.op(from_.schedule.opAt(step));
  if (!op) return std::nullopt;
  return to_.schedule.stepOf[op];
}

/// As far into `to` as it is into `from`.
Step SameThings::shareOf(Step step) const {
  const auto length = [](const Run& run) {
    return static_cast<double>(std::max(run.schedule.steps(), run.problem.steps).count());
  };
  const double share = static_cast<double>(step.count()) / std::max(1.0, length(from_));
  return Step(static_cast<std::int64_t>(share * length(to_)));
}

Step SameThings::step(Step step) const {
  if (same()) return step;
  if (!related()) return shareOf(step);
  for (Step at = step; at >= Step(0); at -= Step(1)) {
    if (const auto found = exactStep(at)) return *found;
  }
  return Step(0);
}

std::optional<Interval<Step>> SameThings::steps(Interval<Step> steps) const {
  if (same()) return steps;
  if (!related()) return Interval<Step>{shareOf(steps.begin), shareOf(steps.end)};
  std::optional<Interval<Step>> all;
  for (Step at = std::max(steps.begin, Step(0)); at < std::min(steps.end, from_.schedule.steps());
       at += Step(1)) {
    for (const OpId op : parts_.ops(from_.schedule.opAt(at))) {
      const Step there = to_.schedule.stepOf[op];
      if (!all) all = {there, there + Step(1)};
      all = {std::min(all->begin, there), std::max(all->end, there + Step(1))};
    }
  }
  return all;
}

}  // namespace hw
