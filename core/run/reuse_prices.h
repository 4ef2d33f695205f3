#pragma once

#include "core/run/shapes.h"

namespace hw {

/// The plan of `own` once more, by the same allocator, with the waits that the machine makes of
/// reuse as penalties, in picoseconds: of two stays of one pool that are not live together, so much
/// as the last activity that touches the first ends, in a run without any reuse, after the first
/// that touches the second starts. Where the machine does one thing after the other, or no pair
/// waits, `own` comes back with a note that says so; where the pairs come to more than
/// `kMostRulePairs`, too.
Result<PlannedTask> withReusePrices(PlannedTask own, const PlanContext& settings);

}  // namespace hw
