#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace hw {

/// What one pool holds while one step runs, in the flat address space of the pool:
/// live + kept + holes + above = footprint.
///
///     0                                            top        footprint
///     | a |  hole  |   b   | kept |  hole  |   c   |   above   |
struct Moment {
  struct Tenant {
    StayId stay{};
    Interval<Bytes> bytes{};
    Interval<Step> steps{};  ///< The live steps around the moment: gaps end them.
    double share = 0;        ///< Of the live bytes.
  };
  /// Bytes in which nobody lives, of a block that is taken as a whole: nobody else can have them.
  struct Kept {
    Interval<Bytes> bytes{};
    StayId tenant{};      ///< The block's, or the first of those it has.
    std::string block{};  ///< Its name; empty where its only tenant says enough.
    Step until{};         ///< When the block goes.
  };
  /// Free bytes between two tenants (or blocks, which go by one of theirs), or below the lowest.
  struct Hole {
    Interval<Bytes> bytes{};
    StayId below{};  ///< None at the bottom.
    StayId above{};  ///< What keeps the hole from being above everything.
    Step until{};    ///< When the first of its walls goes: then it is a hole no longer.
  };

  PoolId pool{};
  Step step{};
  std::vector<Tenant> tenants{};  ///< By address.
  std::vector<Kept> kept{};       ///< By address.
  std::vector<Hole> holes{};      ///< By address.
  Bytes live{};
  Bytes keptBytes{};
  Bytes holeBytes{};
  Bytes top{};        ///< One past the highest byte that is live or kept.
  Bytes above{};      ///< Reserved, but above everything that is.
  Bytes footprint{};  ///< Of the whole plan.

  /// Null without holes.
  const Hole* largestHole() const;
};

/// Looks at `pool` at `step`. O(n log n). The plan must be valid.
Moment momentAt(const Problem& problem, const Plan& plan, PoolId pool, Step step);

}  // namespace hw
