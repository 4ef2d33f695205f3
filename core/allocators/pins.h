#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/plan/plan.h"

namespace hw {

/// Puts the pinned stays where they have to be, before a strategy places the others. Fails when
/// two of them share memory and time, or when a pin is not aligned: then no allocator can help.
/// Returns the pinned stays, ascending.
Result<std::vector<StayId>> placePins(const Problem& problem, Plan& plan);

/// Whether all that is pinned in `pool` ends within its capacity. If not, no plan fits.
bool pinsFit(const Problem& problem, PoolId pool);

}  // namespace hw
