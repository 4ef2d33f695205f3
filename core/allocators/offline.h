#pragma once

#include "core/allocators/allocator.h"
#include "core/allocators/pins.h"
#include "core/solver/placer.h"

namespace hw {

/// Plans one pool after the other: pins first, then `solvePool(placer, pool)`, which places the
/// rest through the placer and returns false when it was stopped. What most offline planners are.
template <class SolvePool>
Result<Plan> planByPool(const Problem& problem, SolvePool solvePool) {
  Plan plan;
  HW_DO(placePins(problem, plan));
  for (const PoolId pool : problem.pools.keys()) {
    Placer placer(problem, pool);
    if (!solvePool(placer, pool)) return fail(ErrorCode::stopped, "planning was stopped");
    for (const StayId id : placer.stays()) {
      plan.addresses[id] = Address{pool, RegionId(0), placer.offsetOf(id)};
    }
  }
  return plan;
}

/// `refused` unless no stay is pinned: for methods that decide places as they go.
inline Result<void> refusePins(const Problem& problem, std::string_view method) {
  for (const Stay& stay : problem.stays) {
    if (!stay.pinned) continue;
    return fail(ErrorCode::unsupported, std::string(method) +
                                            " decides places as it goes and cannot keep one free "
                                            "for a pinned offset");
  }
  return {};
}

}  // namespace hw
