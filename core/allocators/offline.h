#pragma once

#include <vector>

#include "core/allocators/allocator.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/solver/placer.h"

namespace hw {

/// Puts the pinned stays where they have to be, before a strategy places the others. Fails when
/// two of them share memory and time, or when a pin is not aligned: then no allocator can help.
/// Returns the pinned stays, ascending.
Result<std::vector<StayId>> placePins(const Problem& problem, Plan& plan);

/// True if all that is pinned in `pool` ends within its capacity. If not, no plan fits.
bool pinsFit(const Problem& problem, PoolId pool);

/// The budget of the searches of a method: counted, so that runs repeat, and timed.
struct SearchBudget {
  std::int64_t moves = 0;  ///< Of quick searches.
  std::int64_t nodes = 0;  ///< Of exact ones.
  double seconds = 0;      ///< 0: no limit.

  /// The rest of it for the next search of this planning.
  SearchBudget leftIn(const PlanContext& context) const;
};

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
