#include <algorithm>
#include <cstdint>

#include "core/residency/residency.h"

namespace hw {
namespace {

/// Bytes live over compressed time: add to a range, ask for the greatest of a range, both
/// O(log n). An implicit binary tree without push-down: a node's `most` includes its own `added`.
class LiveSum {
 public:
  explicit LiveSum(std::size_t slots) {
    while (leaves_ < slots) leaves_ *= 2;
    added_.assign(2 * leaves_, Bytes());
    most_.assign(2 * leaves_, Bytes());
  }

  Bytes most(std::size_t first, std::size_t last) const {
    return most({1, 0, leaves_}, first, last);
  }
  void add(std::size_t first, std::size_t last, Bytes size) {
    add({1, 0, leaves_}, first, last, size);
  }

 private:
  struct Node {
    std::size_t index;
    std::size_t first;
    std::size_t last;
    Node left() const { return {2 * index, first, (first + last) / 2}; }
    Node right() const { return {2 * index + 1, (first + last) / 2, last}; }
  };

  Bytes most(Node node, std::size_t first, std::size_t last) const {
    if (last <= node.first || node.last <= first) return Bytes();
    if (first <= node.first && node.last <= last) return most_[node.index];
    return added_[node.index] +
           std::max(most(node.left(), first, last), most(node.right(), first, last));
  }

  void add(Node node, std::size_t first, std::size_t last, Bytes size) {
    if (last <= node.first || node.last <= first) return;
    if (first <= node.first && node.last <= last) {
      added_[node.index] += size;
      most_[node.index] += size;
      return;
    }
    add(node.left(), first, last, size);
    add(node.right(), first, last, size);
    most_[node.index] =
        added_[node.index] + std::max(most_[2 * node.index], most_[2 * node.index + 1]);
  }

  std::size_t leaves_ = 1;
  std::vector<Bytes> added_;
  std::vector<Bytes> most_;
};

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

IdMap<BufferId, Bytes> bufferTraffic(const Graph& graph, const Storage& storage) {
  IdMap<BufferId, Bytes> traffic(storage.buffers.size());
  for (const TensorId id : graph.tensors.keys()) {
    const auto& slot = storage.slots[id];
    if (!slot) continue;
    const Tensor& tensor = graph.tensors[id];
    const auto moves = [&](OpId op) { return !storage.free[op] && !graph.ops[op].folded; };
    const bool written = !tensor.producer || moves(tensor.producer);
    const auto reads = std::ranges::count_if(tensor.consumers, moves);
    traffic[slot->buffer] += *tensor.bytes * (reads + (written ? 1 : 0));
  }
  return traffic;
}

IdMap<StayId, PoolId> singleLevel(const Problem& problem, const IdMap<StayId, Bytes>& traffic,
                                  Bytes budget) {
  constexpr PoolId kNear(0);
  constexpr PoolId kFar(1);
  const std::vector<Step> times = distinctBegins(problem);
  const auto slot = [&](Step step) {
    return static_cast<std::size_t>(std::ranges::lower_bound(times, step) - times.begin());
  };
  LiveSum live(times.size());
  IdMap<StayId, PoolId> pools(problem.stays.size(), kFar);
  for (const StayId id : byValue(problem, traffic)) {
    const Stay& stay = problem.stays[id];
    const std::size_t first = slot(stay.steps.begin);
    const std::size_t last = slot(stay.steps.end);
    if (!stay.pinned && live.most(first, last) + stay.size > budget) continue;
    live.add(first, last, stay.size);
    pools[id] = kNear;
  }
  return pools;
}

}  // namespace hw
