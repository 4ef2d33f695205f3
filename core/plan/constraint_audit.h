#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/plan/validate.h"

namespace hw {

/// Faults of `Problem::constraints` and reserved ranges themselves: unknown stays, lists
/// out of order, pairs that have to share bytes and may not. At most one finding a list. Shares no
/// code with planners, like the next one.
std::vector<Violation> auditConstraints(const Problem& problem);

/// True if constraints let two have the same bytes at the same step: they are exclusive, or of a
/// group and not bound to different pools. Then `auditConstrainedPlan` looks at every pair.
bool letsShare(const Problem& problem);

/// Every constraint that `plan`, whose placed stays are `placed` and have sound addresses, breaks:
/// bytes shared by those that are `apart`, groups at several offsets, pools that are not allowed,
/// bytes that are reserved, and bytes and steps shared by pairs that nothing permits to.
/// `starts`: where each region of a pool begins. `nameOf`: of stays, in messages.
/// O(constraints + stays x live together).
std::vector<Violation> auditConstrainedPlan(const Problem& problem, const Plan& plan,
                                            const std::vector<StayId>& placed,
                                            const IdMap<PoolId, IdMap<RegionId, Bytes>>& starts,
                                            const std::function<std::string(StayId)>& nameOf);

}  // namespace hw
