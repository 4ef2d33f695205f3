#include "core/allocators/offline.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/validate.h"

namespace hw {

SearchBudget SearchBudget::leftIn(const PlanContext& context) const {
  SearchBudget left = *this;
  if (context.timeLimit > 0) left.seconds = context.timeLimit;
  if (SearchUse* use = context.use) {
    left.moves = use->most(use->tries, moves) - use->tries;
    left.nodes = use->most(use->nodes, nodes) - use->nodes;
    left.seconds = use->seconds(left.seconds, context.clock);
  }
  return left;
}

Result<std::vector<StayId>> placePins(const Problem& problem, Plan& plan) {
  std::vector<StayId> pinned;
  plan.addresses.resize(problem.stays.size());
  Problem fixed;
  fixed.pools = problem.pools;
  for (ProblemPool& pool : fixed.pools) pool.capacity.reset();
  fixed.steps = problem.steps;
  Plan there;
  there.regions.resize(problem.pools.size());
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    if (!stay.pinned) continue;
    pinned.push_back(id);
    const PoolId pool = problem.poolOf(id);
    plan.addresses[id] = Address{pool, RegionId(0), *stay.pinned};
    for (const Interval<Step>& gap : problem.gapsOf(id)) {
      fixed.gaps.push_back({StayId(fixed.stays.size()), gap});
    }
    fixed.stays.add(stay);
    there.addresses.add(plan.addresses[id]);
    if (there.regions[pool].empty()) there.regions[pool].add(Bytes());
    Bytes& size = there.regions[pool][RegionId(0)];
    size = std::max(size, *stay.pinned + stay.size);
  }
  if (pinned.empty()) return pinned;
  const auto wrong = validate(fixed, there, 1);
  if (wrong.empty()) return pinned;
  const auto name = [&](StayId id) {
    return id ? fmt::format(" {}", pinned[id.index()].index()) : "";
  };
  return fail(ErrorCode::invalidArgument,
              fmt::format("the pinned offsets cannot all be kept: {} (stays{}{})", wrong[0].message,
                          name(wrong[0].a), name(wrong[0].b)));
}

bool pinsFit(const Problem& problem, PoolId pool) {
  const auto& capacity = problem.pools[pool].capacity;
  return !capacity || std::ranges::all_of(problem.stays.keys(), [&](StayId id) {
    const Stay& stay = problem.stays[id];
    return !stay.pinned || problem.poolOf(id) != pool || *stay.pinned + stay.size <= *capacity;
  });
}

}  // namespace hw
