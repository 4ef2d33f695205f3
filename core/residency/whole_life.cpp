#include <algorithm>

#include "core/base/live_sum.h"
#include "core/graph/tiling.h"
#include "core/residency/residency.h"

namespace hw {
namespace {

std::vector<Step> distinctBegins(const Problem& problem) {
  std::vector<Step> times;
  for (const Stay& stay : problem.stays) times.push_back(stay.steps.begin);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Highest traffic per byte and step first, pinned stays before all, ties by id.
std::vector<StayId> byValue(const Problem& problem, const IdMap<StayId, Bytes>& traffic) {
  struct Key {
    bool movable;
    long double held;  ///< Byte steps per byte of traffic: the lower, the better.
    StayId id;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    const auto moved = static_cast<long double>(std::max(traffic[id], Bytes(1)).count());
    const auto size = static_cast<long double>(stay.size.count());
    keys.push_back({!stay.pinned.has_value(),
                    size / moved * static_cast<long double>(stay.steps.length().count()), id});
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) { return a < b; });
  std::vector<StayId> order;
  order.reserve(keys.size());
  for (const Key& key : keys) order.push_back(key.id);
  return order;
}

}  // namespace

IdMap<StayId, Bytes> trafficOf(const Graph& graph, const Storage& storage, const Problem& problem) {
  IdMap<BufferId, Bytes> ofBuffers(graph.tensors.size());  // There are no more of them.
  for (const TensorId id : graph.tensors.keys()) {
    const BufferId buffer = storage.bufferOf(id);
    if (!buffer) continue;
    const Tensor& tensor = graph.tensors[id];
    const auto moves = [&](OpId op) { return !storage.free[op] && !graph.ops[op].folded; };
    const bool written = tensor.producer ? moves(tensor.producer) : isGiven(graph, id);
    const auto reads = std::ranges::count_if(tensor.consumers, moves);
    ofBuffers[buffer] += *tensor.bytes * (reads + (written ? 1 : 0));
  }
  IdMap<StayId, Bytes> traffic;
  for (const Stay& stay : problem.stays) traffic.add(ofBuffers[stay.buffer]);
  return traffic;
}

Residency wholeLife(const Problem& problem, const IdMap<StayId, Bytes>& traffic,
                    const IdMap<PoolId, std::optional<Bytes>>& budgets) {
  const std::vector<Step> times = distinctBegins(problem);
  const auto slot = [&](Step step) {
    return static_cast<std::size_t>(std::ranges::lower_bound(times, step) - times.begin());
  };
  const PoolId last(budgets.size() - 1);
  Residency pools(problem.stays.size(), last);
  std::vector<StayId> left = byValue(problem, traffic);
  for (PoolId pool(0); pool < last && !left.empty(); pool = PoolId(pool.index() + 1)) {
    LiveSum live(times.size());
    std::erase_if(left, [&](StayId id) {
      const Stay& stay = problem.stays[id];
      const std::size_t begin = slot(stay.steps.begin);
      const std::size_t end = slot(stay.steps.end);
      const bool fits = !budgets[pool] || live.add(begin, end, {}) + stay.size <= *budgets[pool];
      // A pin is an offset in the near pool: whatever it costs, it lies there.
      if (!fits && !stay.pinned) return false;
      live.add(begin, end, stay.size);
      pools[id] = pool;
      return true;
    });
  }
  return pools;
}

}  // namespace hw
