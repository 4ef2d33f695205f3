#include "core/latency/branch_bound.h"

#include <algorithm>
#include <queue>

#include "core/latency/forced_orders.h"
#include "core/latency/latency_search.h"
#include "core/latency/path_placer.h"

namespace hw {
namespace {

/// Stays and activities, squared, that all nodes together look at: some seconds at most.
constexpr std::int64_t kBranchLooks = 10'000'000;

/// Plans of which some stays share bytes and others lie apart.
struct BranchNode {
  SimTime bound{};
  std::vector<ActivityOrder> orders{};  ///< That hold in all of them.
  std::vector<ReusePair> apart{};
  /// The pair at which it is split. None: all its plans run alike, and the bound is their latency.
  std::optional<ReusePair> split{};
  int depth = 0;
};

class Branching {
 public:
  Branching(const TimedWork& work, const BranchOptions& options)
      : work_(work), options_(options), forced_(work, options_.capacities) {
    const auto size = static_cast<std::int64_t>(work.stays.size() + work.activities.size());
    const std::int64_t most = kBranchLooks / std::max<std::int64_t>(1, size * size);
    nodes_ = static_cast<int>(std::min<std::int64_t>(options.nodes, most));
  }

  BranchedBound run() {
    BranchedBound found{.time = std::min(options_.bound, options_.latency)};
    if (nodes_ > 0) add({.bound = options_.bound});
    while (!open_.empty()) {
      const BranchNode node = open_.top();
      found.time = std::max(found.time, node.bound);
      found.nodes = made_;
      const bool stopped = made_ >= nodes_ || options_.stop.stop_requested();
      if (isProved(options_.latency, node.bound) || !node.split || stopped) return found;
      open_.pop();
      splitUp(node);
    }
    // Whatever there was is no faster than the plan.
    if (nodes_ > 0) found.time = options_.latency;
    return found;
  }

 private:
  struct Later {
    bool operator()(const BranchNode& a, const BranchNode& b) const {
      return a.bound != b.bound ? a.bound > b.bound : a.depth < b.depth;
    }
  };

  void splitUp(const BranchNode& node) {
    const ReusePair pair = *node.split;
    BranchNode shared{
        .bound = node.bound, .orders = node.orders, .apart = node.apart, .depth = node.depth + 1};
    BranchNode apart = shared;
    for (const std::uint32_t entry : work_.entries.of(pair.after)) {
      for (const std::uint32_t exit : work_.exits.of(pair.before)) {
        shared.orders.push_back({exit, entry});
      }
    }
    add(std::move(shared));
    apart.apart.push_back(pair);
    if (fits(apart.apart)) add(std::move(apart));
  }

  /// Bounds the node and keeps it, unless its plans are no faster than the one there is.
  void add(BranchNode node) {
    ++made_;
    const std::vector<ActivityOrder> given = std::move(node.orders);
    node.bound = std::max(node.bound, forced_.bound(given));
    if (node.bound >= options_.latency) return;
    node.orders = forced_.orders();
    const SimTime latency = forced_.timer().contended();
    node.split = firstOpen(node.apart);
    const SimTime least = node.split ? forced_.boundAfter(startOf(node.split->after)) : latency;
    node.bound = std::max(node.bound, least);
    if (node.bound < options_.latency) open_.push(std::move(node));
  }

  static bool contains(const std::vector<ReusePair>& pairs, std::uint32_t a, std::uint32_t b) {
    return std::ranges::any_of(pairs, [&](const ReusePair& each) {
      return (each.before == a && each.after == b) || (each.before == b && each.after == a);
    });
  }

  /// In the run that was just timed, the first stay that is entered before another one is left that
  /// it may share bytes with, and that one.
  std::optional<ReusePair> firstOpen(const std::vector<ReusePair>& apart) {
    std::optional<ReusePair> first;
    SimTime earliest = kMaxTime;
    for (std::size_t i = 0; i < work_.byOpening.size(); ++i) {
      const std::uint32_t after = work_.byOpening[i];
      const SimTime start = startOf(after);
      if (start >= earliest) continue;
      for (std::size_t j = 0; j < i; ++j) {
        const std::uint32_t before = work_.byOpening[j];
        if (!mayShare(before, after) || endOf(before) <= start) continue;
        if (contains(apart, before, after)) continue;
        earliest = start;
        first = {before, after};
        break;
      }
    }
    return first;
  }

  bool mayShare(std::uint32_t a, std::uint32_t b) const {
    const TimedStay& one = work_.stays[a];
    const TimedStay& other = work_.stays[b];
    return one.pool == other.pool && !one.steps.overlaps(other.steps) && one.size > Bytes() &&
           other.size > Bytes();
  }
  SimTime startOf(std::uint32_t stay) {
    SimTime start = kMaxTime;
    for (const std::uint32_t entry : work_.entries.of(stay)) {
      start = std::min(start, forced_.timer().startOf(entry));
    }
    return start;
  }
  SimTime endOf(std::uint32_t stay) {
    SimTime end;
    for (const std::uint32_t exit : work_.exits.of(stay)) {
      end = std::max(end, forced_.timer().endOf(exit));
    }
    return end;
  }

  /// False if the last two of `apart` and stays that share no bytes with them, nor with each other,
  /// exceed a capacity. Of these the largest are taken first.
  bool fits(const std::vector<ReusePair>& apart) const {
    const ReusePair pair = apart.back();
    const PoolId pool = work_.stays[pair.before].pool;
    const auto& capacity = options_.capacities[pool.index()];
    if (!capacity) return true;
    std::vector<std::uint32_t> taken{pair.before, pair.after};
    Bytes sum = work_.stays[pair.before].size + work_.stays[pair.after].size;
    std::vector<std::uint32_t> others;
    const auto disjoint = [&](std::uint32_t a, std::uint32_t b) {
      return work_.stays[a].liveWith(work_.stays[b]) || contains(apart, a, b);
    };
    for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
      if (work_.stays[i].pool != pool || i == pair.before || i == pair.after) continue;
      if (disjoint(i, pair.before) && disjoint(i, pair.after)) others.push_back(i);
    }
    std::ranges::stable_sort(others, std::greater<>(),
                             [&](std::uint32_t i) { return work_.stays[i].size; });
    for (const std::uint32_t i : others) {
      if (!std::ranges::all_of(taken, [&](std::uint32_t each) { return disjoint(i, each); })) {
        continue;
      }
      taken.push_back(i);
      sum += work_.stays[i].size;
    }
    return sum <= *capacity;
  }

  const TimedWork& work_;
  BranchOptions options_;
  ForcedOrders forced_;
  int nodes_ = 0;
  int made_ = 0;
  std::priority_queue<BranchNode, std::vector<BranchNode>, Later> open_;
};

}  // namespace

BranchedBound branchedBound(const TimedWork& work, const BranchOptions& options) {
  return Branching(work, options).run();
}

}  // namespace hw
