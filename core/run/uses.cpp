#include "core/run/uses.h"

#include <algorithm>

namespace hw {

Uses::Uses(const Run& run) : run_(run) {
  const Graph& graph = run.graph();
  for (const TensorId tensor : graph.tensors.keys()) {
    const BufferId buffer = run.storage.bufferOf(tensor);
    const auto touch = [&](OpId op) {
      if (!op || graph.ops[op].folded) return;
      const Step step = run.schedule.stepOf[op];
      ofTensor_.push_back({tensor, step});
      if (buffer) ofBuffer_.push_back({buffer, step});
    };
    touch(graph.tensors[tensor].producer);
    for (const OpId reader : graph.tensors[tensor].consumers) touch(reader);
  }
  std::ranges::sort(ofTensor_);
  std::ranges::sort(ofBuffer_);
}

template <class Key>
std::int64_t Uses::longest(const Touches<Key>& all, Key key, const Interval<Step>& life) {
  Step last = life.begin;
  std::int64_t most = 0;
  auto at = std::ranges::lower_bound(all, std::pair(key, life.begin));
  for (; at != all.end() && at->first == key && at->second < life.end; ++at) {
    most = std::max<std::int64_t>(most, (at->second - last).count());
    last = at->second;
  }
  return most;
}

std::int64_t Uses::longestWait(StayId stay) const {
  const Stay& own = run_.problem.stays[stay];
  return longest(ofBuffer_, own.buffer, own.steps);
}

std::int64_t Uses::longestWait(TensorId tensor) const {
  const OpId producer = run_.graph().tensors[tensor].producer;
  const Step begin = producer ? run_.schedule.stepOf[producer] : Step();
  return longest(ofTensor_, tensor, {begin, run_.schedule.steps()});
}

std::optional<Step> Uses::lastUse(StayId stay) const {
  const Stay& own = run_.problem.stays[stay];
  const auto after = std::ranges::lower_bound(ofBuffer_, std::pair(own.buffer, own.steps.end));
  if (after == ofBuffer_.begin()) return std::nullopt;
  const auto& [buffer, step] = *std::prev(after);
  return buffer == own.buffer && step >= own.steps.begin ? std::optional(step) : std::nullopt;
}

std::vector<LateFree> lateFrees(const Run& run) {
  const Uses uses(run);
  std::vector<LateFree> late;
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    const bool kept = stay.outlives || (run.storage.buffers.contains(stay.buffer) &&
                                        run.storage.buffers[stay.buffer].graphOutput);
    const auto last = uses.lastUse(id);
    if (kept || !last || *last + Step(1) >= stay.steps.end) continue;
    late.push_back({id, *last, (stay.steps.end - *last).count() - 1});
  }
  std::ranges::stable_sort(late, std::greater(), [&](const LateFree& each) {
    return run.problem.stays[each.stay].size.real() * static_cast<double>(each.steps);
  });
  return late;
}

}  // namespace hw
