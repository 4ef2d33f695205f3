#pragma once

#include "core/plan/metrics.h"

namespace hw {

/// The part of a planned problem that lives in some steps, as a problem and plan of its own.
struct RangePart {
  Problem problem{};              ///< Stays are cut to the range; those outside are left out.
  Plan plan{};                    ///< Their addresses; regions as they were.
  IdMap<StayId, StayId> whole{};  ///< What each stay is called in the whole problem.
};

/// Cuts `problem` and `plan` to the steps of `range`. Whoever lives in none of them is left out,
/// and so is who has no place there: a stay whose every such step is a gap. O(n).
RangePart cutToRange(const Problem& problem, const Plan& plan, Interval<Step> range);

/// The figures of `plan` as if only the steps of `range` existed. A pool's peak is one past the
/// highest byte that is live in the range. O(n log n).
PlanMetrics measureRange(const Problem& problem, const Plan& plan, Interval<Step> range);

}  // namespace hw
