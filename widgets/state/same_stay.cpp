#include "widgets/state/same_stay.h"

#include <algorithm>

namespace hw {

SameThings::SameThings(const Run& from, const Run& to)
    : from_(from), to_(to), parts_(from.graph(), to.graph()) {
  if (!related()) byName_.emplace(from.graph(), to.graph());
}

SameThings::ByName::ByName(const Graph& ours, const Graph& theirs)
    : from(ours), to(theirs), down(wholeGraph(theirs), theirs) {
  for (const TensorId id : wholeGraph(to).tensors.keys()) {
    const std::string& name = wholeGraph(to).tensors[id].name;
    if (!name.empty()) tensors.try_emplace(name, id);
  }
  const auto& all = from.ops;
  const auto paired = std::ranges::count_if(all.keys(), [&](OpId each) { return bool(op(each)); });
  pairsOps = paired > 0 && 2 * static_cast<std::size_t>(paired) >= all.size();
}

TensorId SameThings::ByName::named(TensorId whole) const {
  const auto found = whole ? tensors.find(wholeGraph(from).tensors[whole].name) : tensors.end();
  return found == tensors.end() ? TensorId() : found->second;
}

TensorId SameThings::ByName::tensor(TensorId tensor) const {
  return down.tensor(named(wholeTensor(from, tensor)));
}

OpId SameThings::ByName::op(OpId op) const {
  const OpId whole = op ? wholeOp(from, op) : OpId();
  if (!whole) return {};
  for (const TensorId output : wholeGraph(from).ops[whole].outputs) {
    if (const TensorId other = named(output)) return wholeGraph(to).tensors[other].producer;
  }
  return {};
}

TensorId SameThings::tensor(TensorId tensor) const {
  return byName_ && tensor ? byName_->tensor(tensor) : parts_.tensor(tensor);
}

OpId SameThings::op(OpId op) const {
  return byName_ ? byName_->down.op(byName_->op(op)) : parts_.op(op);
}

std::vector<OpId> SameThings::ops(OpId op) const {
  return byName_ ? byName_->down.ops(byName_->op(op)) : parts_.ops(op);
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
  const OpId there = op(from_.schedule.opAt(step));
  if (!there) return std::nullopt;
  return to_.schedule.stepOf[there];
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
  if (!pairsOps()) return shareOf(step);
  for (Step at = step; at >= Step(0); at -= Step(1)) {
    if (const auto found = exactStep(at)) return *found;
  }
  return Step(0);
}

std::optional<Interval<Step>> SameThings::steps(Interval<Step> steps) const {
  if (same()) return steps;
  if (!pairsOps()) return Interval<Step>{shareOf(steps.begin), shareOf(steps.end)};
  std::optional<Interval<Step>> all;
  for (Step at = std::max(steps.begin, Step(0)); at < std::min(steps.end, from_.schedule.steps());
       at += Step(1)) {
    for (const OpId op : ops(from_.schedule.opAt(at))) {
      const Step there = to_.schedule.stepOf[op];
      if (!all) all = {there, there + Step(1)};
      all = {std::min(all->begin, there), std::max(all->end, there + Step(1))};
    }
  }
  return all;
}

}  // namespace hw
