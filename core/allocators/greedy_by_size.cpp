#include <algorithm>
#include <optional>

#include "core/allocators/allocators.h"
#include "core/allocators/pins.h"
#include "core/solver/neighbours.h"

namespace hw {
namespace {

/// The gap below, between or above `placed` (by offset) that suits `stay` best: the tightest, the
/// lowest of equals, else on top.
Bytes tightestGap(const Stay& stay, const std::vector<Interval<Bytes>>& placed) {
  Bytes top;  // No byte at or above it is taken by what has been looked at.
  std::optional<Bytes> best;
  Bytes bestSlack;
  for (const Interval<Bytes>& other : placed) {
    const Bytes at = alignUp(top, stay.alignment);
    const Bytes slack = other.begin - at - stay.size;
    if (slack >= Bytes() && (!best || slack < bestSlack)) {
      best = at;
      bestSlack = slack;
    }
    top = std::max(top, other.end);
  }
  return best.value_or(alignUp(top, stay.alignment));
}

class GreedyBySize final : public Allocator {
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    const auto pinned = placePins(problem, plan);
    if (!pinned) return tl::unexpected(pinned.error());
    for (const PoolId pool : problem.pools.keys()) {
      if (!solvePool(problem, pool, context, plan)) {
        return fail(ErrorCode::stopped, "planning was stopped");
      }
    }
    return plan;
  }

  /// Whole-run stays first, then by size, then by id.
  static std::vector<StayId> sizeOrder(const Problem& problem, std::vector<StayId> stays) {
    const auto key = [&](StayId id) {
      const Stay& stay = problem.stays[id];
      const bool wholeRun = stay.steps.begin == Step(0) && stay.steps.end == problem.steps;
      return std::tuple(!wholeRun, -stay.size.count(), id);
    };
    std::ranges::sort(stays, {}, key);
    return stays;
  }

  static bool solvePool(const Problem& problem, PoolId pool, const PlanContext& context,
                        Plan& plan) {
    Neighbours neighbours(problem, pool);
    for (const StayId id : neighbours.stays()) {
      if (problem.stays[id].pinned) neighbours.insert(id);
    }
    std::vector<StayId> together;
    std::vector<Interval<Bytes>> placed;
    std::size_t done = 0;
    for (const StayId id : sizeOrder(problem, neighbours.stays())) {
      const Stay& stay = problem.stays[id];
      if (stay.pinned) continue;
      if (++done % 1024 == 0 && context.stop.stop_requested()) return false;
      neighbours.query(id, together);
      placed.clear();
      for (const StayId other : together) {
        const Bytes offset = plan.addresses[other]->offset;
        placed.push_back({offset, offset + problem.stays[other].size});
      }
      std::ranges::sort(placed);
      plan.addresses[id] = Address{pool, RegionId(0), tightestGap(stay, placed)};
      neighbours.insert(id);
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Allocator> makeGreedyBySize(const Params&) {
  return std::make_unique<GreedyBySize>();
}

}  // namespace hw
