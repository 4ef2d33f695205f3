#include "core/plan/pair_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "core/base/live_sum.h"
#include "core/base/text.h"
#include "core/plan/constraint_use.h"
#include "core/plan/life_edges.h"

namespace hw {
namespace {

/// The group of each stay; null: it is alone.
using GroupsByStay = IdMap<StayId, const std::vector<StayId>*>;

GroupsByStay groupsByStay(const Problem& problem) {
  GroupsByStay groups(problem.stays.size(), nullptr);
  for (const std::vector<StayId>& group : problem.constraints.together) {
    for (const StayId id : group) groups[id] = &group;
  }
  return groups;
}

/// Conflicts before any is listed: pairs that are live together, and those that are apart.
std::int64_t countConflicts(const Problem& problem) {
  LifeEdges lives;
  lives.reserve(problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    for (const Interval<Step>& live : problem.liveSteps(id)) lives.add(live, 0);
  }
  auto pairs = static_cast<std::int64_t>(problem.constraints.apart.size());
  std::int64_t live = 0;
  for (const LifeEdge& edge : lives.sorted()) {
    if (!edge.begins()) --live;
    if (edge.begins()) pairs += live++;
  }
  return pairs;
}

/// The first pool of the set that each belongs to.
IdMap<PoolId, PoolId> poolSets(const Problem& problem) {
  IdMap<PoolId, PoolId> first;
  for (const PoolId pool : problem.pools.keys()) first.add(pool);
  for (const std::vector<StayId>& group : problem.constraints.together) {
    for (const StayId id : group) {
      const PoolId from = first[problem.poolOf(group.front())];
      const PoolId to = first[problem.poolOf(id)];
      for (PoolId& each : first) {
        if (each == from || each == to) each = std::min(from, to);
      }
    }
  }
  return first;
}

class BlockBuilder {
 public:
  explicit BlockBuilder(const Problem& problem) : problem_(problem), sets_(poolSets(problem)) {}

  Result<std::vector<PairBlocks>> build() {
    HW_DO(addBlocks());
    for (const StayPair& pair : conflictsOf(problem_)) addConflict(pair);
    for (PairBlocks& blocks : all_) settleConflicts(blocks);
    for (const ReusePenalty& penalty : problem_.constraints.penalties) addPenalty(penalty);
    for (PairBlocks& blocks : all_) addRoom(blocks);
    return std::move(all_);
  }

 private:
  /// Index into `all_` of the set of a stay, which comes to be with its first.
  std::size_t setOf(StayId id) {
    const PoolId first = sets_[problem_.poolOf(id)];
    const auto [at, isNew] = index_.emplace(first, all_.size());
    if (isNew) {
      PairBlocks& blocks = all_.emplace_back();
      for (const PoolId pool : sets_.keys()) {
        if (sets_[pool] == first) blocks.pools.push_back(pool);
      }
      blocks.blockOf = IdMap<StayId, std::uint32_t>(problem_.stays.size(), PairBlocks::kNoBlock);
    }
    return at->second;
  }

  Result<void> addBlocks() {
    const GroupsByStay groups = groupsByStay(problem_);
    for (const StayId id : problem_.stays.keys()) {
      const std::vector<StayId>* group = groups[id];
      if (group != nullptr && group->front() != id) continue;
      PairBlocks& blocks = all_[setOf(id)];
      const auto number = static_cast<std::uint32_t>(blocks.stays.size());
      const std::vector<StayId> stays = group != nullptr ? *group : std::vector{id};
      PairModel::Block block;
      for (const StayId each : stays) {
        HW_DO(addStay(problem_.stays[each], block));
        blocks.blockOf[each] = number;
      }
      blocks.model.blocks.push_back(block);
      blocks.stays.push_back(stays);
      blocks.model.conflicts.emplace_back();
      blocks.model.penalties.emplace_back();
    }
    return {};
  }

  static Result<void> addStay(const Stay& stay, PairModel::Block& block) {
    const auto alignment = static_cast<std::uint64_t>(stay.alignment.count());
    if ((alignment & (alignment - 1)) != 0) {
      return fail(ErrorCode::unsupported,
                  fmt::format("a buffer has alignment {}; with constraints only powers of two can "
                              "be planned",
                              groupDigits(stay.alignment.count())));
    }
    if (stay.pinned && block.fixed && *stay.pinned != *block.fixed) {
      return fail(
          ErrorCode::malformed,
          fmt::format("buffers that have to be together are pinned to {} and {}",
                      groupDigits(block.fixed->count()), groupDigits(stay.pinned->count())));
    }
    block.size = std::max(block.size, stay.size);
    block.alignment = std::max(block.alignment, stay.alignment);
    if (stay.pinned) block.fixed = stay.pinned;
    return {};
  }

  /// The set of two stays of one pool; null: they are in different ones, and never meet.
  PairBlocks* commonSet(const StayPair& pair) {
    if (problem_.poolOf(pair.a) != problem_.poolOf(pair.b)) return nullptr;
    return &all_[setOf(pair.a)];
  }

  void addConflict(const StayPair& pair) {
    PairBlocks* blocks = commonSet(pair);
    if (blocks == nullptr) return;
    const std::uint32_t a = blocks->blockOf[pair.a];
    const std::uint32_t b = blocks->blockOf[pair.b];
    const Bytes sizeA = problem_.stays[pair.a].size;
    const Bytes sizeB = problem_.stays[pair.b].size;
    blocks->model.conflicts[a].push_back({b, sizeA, sizeB});
    blocks->model.conflicts[b].push_back({a, sizeB, sizeA});
  }

  /// Sorts them, and makes one of those of two groups: as far apart as the largest that conflict.
  static void settleConflicts(PairBlocks& blocks) {
    for (std::vector<PairModel::Apart>& list : blocks.model.conflicts) {
      std::ranges::sort(list, {}, &PairModel::Apart::other);
      std::size_t kept = 0;
      for (const PairModel::Apart& each : list) {
        if (kept > 0 && list[kept - 1].other == each.other) {
          list[kept - 1].below = std::max(list[kept - 1].below, each.below);
          list[kept - 1].above = std::max(list[kept - 1].above, each.above);
        } else {
          list[kept++] = each;
        }
      }
      list.resize(kept);
    }
  }

  void addPenalty(const ReusePenalty& penalty) {
    PairBlocks* blocks = commonSet(penalty.pair);
    if (blocks == nullptr) return;
    const std::uint32_t a = blocks->blockOf[penalty.pair.a];
    const std::uint32_t b = blocks->blockOf[penalty.pair.b];
    if (a == b) {
      blocks->fixedCost += penalty.cost;
      return;
    }
    const Bytes sizeA = problem_.stays[penalty.pair.a].size;
    const Bytes sizeB = problem_.stays[penalty.pair.b].size;
    if (isApartAnyway(blocks->model, a, {b, sizeA, sizeB})) return;
    blocks->model.penalties[a].push_back({{b, sizeA, sizeB}, penalty.cost});
    blocks->model.penalties[b].push_back({{a, sizeB, sizeA}, penalty.cost});
  }

  /// Sorts them, and makes one of those of one pair and the same distances.
  static void settlePenalties(std::vector<PairModel::Penalty>& list) {
    const auto key = [](const PairModel::Penalty& each) {
      return std::tuple(each.apart.other, each.apart.below, each.apart.above);
    };
    std::ranges::sort(list, {}, key);
    std::size_t kept = 0;
    for (const PairModel::Penalty& each : list) {
      if (kept > 0 && key(list[kept - 1]) == key(each)) {
        list[kept - 1].cost += each.cost;
      } else {
        list[kept++] = each;
      }
    }
    list.resize(kept);
  }

  static bool isApartAnyway(const PairModel& model, std::uint32_t block,
                            const PairModel::Apart& apart) {
    const auto& list = model.conflicts[block];
    const auto found = std::ranges::lower_bound(list, apart.other, {}, &PairModel::Apart::other);
    return found != list.end() && found->other == apart.other && found->below >= apart.below &&
           found->above >= apart.above;
  }

  void addRoom(PairBlocks& blocks) {
    for (std::vector<PairModel::Penalty>& list : blocks.model.penalties) settlePenalties(list);
    const ProblemPool& first = problem_.pools[blocks.pools.front()];
    blocks.model.capacity = first.capacity;
    std::vector<Interval<Bytes>> reserved;
    for (const PoolId id : blocks.pools) {
      const ProblemPool& pool = problem_.pools[id];
      blocks.exact &= pool.capacity == first.capacity && pool.reserved == first.reserved;
      if (pool.capacity) {
        blocks.model.capacity = std::min(*pool.capacity, blocks.model.capacity.value_or(kMaxBytes));
      }
      reserved.insert(reserved.end(), pool.reserved.begin(), pool.reserved.end());
    }
    std::ranges::sort(reserved);
    for (const Interval<Bytes>& range : reserved) {
      auto& own = blocks.model.reserved;
      if (own.empty() || own.back().end < range.begin) {
        own.push_back(range);
      } else {
        own.back().end = std::max(own.back().end, range.end);
      }
    }
  }

  const Problem& problem_;
  IdMap<PoolId, PoolId> sets_;
  std::map<PoolId, std::size_t> index_;
  std::vector<PairBlocks> all_;
};

class PoolChoice {
 public:
  explicit PoolChoice(const Problem& problem)
      : problem_(problem), groups_(groupsByStay(problem)), decided_(problem) {
    if (problem.pools.size() < 2) return;  // There is no choice.
    for (const Stay& stay : problem.stays) times_.push_back(stay.steps.begin);
    std::ranges::sort(times_);
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    if (times_.empty() || problem.pools.size() > kMostSlots / times_.size()) return;
    for (std::size_t i = 0; i < problem.pools.size(); ++i) live_.add(LiveSum(times_.size()));
  }

  Problem decide() {
    std::vector<StayId> order = problem_.stays.keys().toVector();
    std::ranges::stable_sort(order, std::greater(),
                             [&](StayId id) { return problem_.stays[id].size; });
    for (const StayId id : order) {
      const std::vector<PoolId> pools = poolsFor(problem_, id);
      if (pools.size() == 1) take(id, pools.front());
    }
    for (const StayId id : order) {
      if (!decided_.stays[id].pool) take(id, choose(id));
    }
    return std::move(decided_);
  }

 private:
  /// Of all pools together; for more, every stay gets the first pool that it may lie in.
  static constexpr std::size_t kMostSlots = std::size_t{1} << 22;

  void take(StayId id, PoolId pool) {
    decided_.stays[id].pool = pool;
    if (!live_.empty()) liveWith(id, pool, problem_.stays[id].size);
  }

  /// The most bytes live beside `id` in `pool`, gaps not looked at, once `size` is added to them.
  Bytes liveWith(StayId id, PoolId pool, Bytes size) {
    const auto slot = [&](Step step) {
      return static_cast<std::size_t>(std::ranges::lower_bound(times_, step) - times_.begin());
    };
    const Interval<Step>& steps = problem_.stays[id].steps;
    return live_[pool].add(slot(steps.begin), slot(steps.end), size);
  }

  /// The pool of others of its group goes first: together they share bytes.
  PoolId choose(StayId id) {
    const std::vector<PoolId> pools = poolsFor(problem_, id);
    if (const std::vector<StayId>* group = groups_[id]) {
      for (const StayId other : *group) {
        const PoolId pool = decided_.stays[other].pool;
        if (pool && std::ranges::find(pools, pool) != pools.end()) return pool;
      }
    }
    if (live_.empty()) return pools.front();
    PoolId roomiest = pools.front();
    Bytes most{std::numeric_limits<std::int64_t>::min()};
    for (const PoolId pool : pools) {
      const auto& capacity = problem_.pools[pool].capacity;
      const Bytes left =
          capacity.value_or(kMaxBytes) - problem_.stays[id].size - liveWith(id, pool, Bytes());
      if (left >= Bytes()) return pool;
      if (left > most) roomiest = pool;
      most = std::max(most, left);
    }
    return roomiest;
  }

  const Problem& problem_;
  GroupsByStay groups_;
  std::vector<Step> times_;      ///< Those at which a stay begins, ascending.
  IdMap<PoolId, LiveSum> live_;  ///< Over `times_`; empty where they would be too many.
  Problem decided_;
};

}  // namespace

Result<std::vector<PairBlocks>> pairBlocksOf(const Problem& problem) {
  const std::int64_t pairs = countConflicts(problem);
  if (pairs > kMostPairs) {
    return fail(ErrorCode::unsupported,
                fmt::format("{} pairs of buffers conflict; with constraints at most {} can be "
                            "planned",
                            groupDigits(pairs), groupDigits(kMostPairs)));
  }
  return BlockBuilder(problem).build();
}

void placeBlocks(const PairBlocks& blocks, const Problem& problem,
                 const std::vector<Bytes>& offsets, Plan& plan) {
  for (std::size_t i = 0; i < blocks.stays.size(); ++i) {
    for (const StayId id : blocks.stays[i]) {
      plan.addresses[id] = Address{problem.poolOf(id), RegionId(0), offsets[i]};
    }
  }
}

Problem withPools(const Problem& problem) {
  return arePoolsDecided(problem) ? problem : PoolChoice(problem).decide();
}

}  // namespace hw
