#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace hw {

/// What one pool holds while one step runs, in the flat address space of the pool:
/// live + holes + above = footprint.
///
///     0                                      top        footprint
///     | a |  hole  |   b   |  hole  |   c   |   above   |
struct Moment {
  struct Tenant {
    StayId stay{};
    Interval<Bytes> bytes{};
    Interval<Step> steps{};  ///< The live steps around the moment: gaps end them.
    double share = 0;        ///< Of the live bytes.
  };
  /// Free bytes between two tenants, or below the lowest.
  struct Hole {
    Interval<Bytes> bytes{};
    StayId below{};      ///< None at the bottom.
    StayId above{};      ///< What keeps the hole from being above everything.
    Step until{};        ///< When the first of its walls goes: then it is a hole no longer.
    std::size_t wall{};  ///< Index of the tenant above it.
  };

  PoolId pool{};
  Step step{};
  std::vector<Tenant> tenants{};  ///< By address.
  std::vector<Hole> holes{};      ///< By address.
  Bytes live{};
  Bytes holeBytes{};
  Bytes top{};        ///< One past the highest live byte.
  Bytes above{};      ///< Reserved, but above everything that is live.
  Bytes footprint{};  ///< Of the whole plan.

  /// Null without holes.
  const Hole* largestHole() const;
};

/// Looks at `pool` at `step`. O(n log n). The plan must be valid.
Moment momentAt(const Problem& problem, const Plan& plan, PoolId pool, Step step);

}  // namespace hw
