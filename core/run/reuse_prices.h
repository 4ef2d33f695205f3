#pragma once

#include "core/run/shapes.h"

namespace hw {

/// The plan of `own` once more, by the same allocator, with the waits that the machine makes of
/// reuse as penalties, in picoseconds: of two stays of one pool that are not live together, so much
/// as the last activity that touches the first ends, in a run without any reuse, after the first
/// that touches the second starts. `own`, the lowest plan, comes back with a note where the machine
/// does one thing after the other, no pair waits, the pairs come to more than `kMostRulePairs`, or
/// only `own` fits. Fails when stopped.
Result<PlannedTask> withReusePrices(PlannedTask own, const PlanContext& settings);

}  // namespace hw
