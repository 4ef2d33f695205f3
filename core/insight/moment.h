#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan/metrics.h"
#include "core/plan/plan.h"
#include "core/plan/problem.h"

namespace hw {

/// Contents of one pool while one step runs, in the flat address space of the pool:
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

struct Run;

/// Autopsy of a plan that does not fit, with figures. Made from the problem and the finished plan
/// alone.
struct Autopsy {
  enum class Cause : std::uint8_t {
    impossible,     ///< The lower bound exceeds all capacities together: no planner can.
    exhaustion,     ///< Fewer bytes free than wanted.
    fragmentation,  ///< Enough bytes free, but not in one piece.
  };
  struct Pool {
    PoolId pool{};
    Bytes capacity{};
    Bytes lowerBound{};   ///< Of the stays that were told to be in it.
    Bytes freeBytes{};    ///< Of the capacity, when it happened.
    Bytes largestFree{};  ///< The largest piece of them.
    /// The least capacity under which the stay that failed would have found room above whatever
    /// was live then; for a plan that is too large, its footprint.
    Bytes sufficient{};
    Moment moment{};  ///< What lay there when it happened.
  };

  Cause cause{};
  StayId
      stay{};  ///< That found no room; of a plan that is too large, the first that ends too high.
  Step step{};
  Bytes wanted{};
  Bytes lowerBound{};         ///< Of all pools together, whatever moves: see `leastLive`.
  std::vector<Pool> pools{};  ///< Those the stay could have gone to.
};

/// "impossible", "exhaustion", "fragmentation".
std::string_view causeName(Autopsy::Cause cause);

/// Nothing when the plan fits.
std::optional<Autopsy> autopsy(const Problem& problem, const Plan& plan);

/// The same of a run, whose bound may be lower than that of its stays: a plan that came with a
/// model may let tensors overlap in them.
std::optional<Autopsy> autopsy(const Run& run);

/// A stretch of steps that is higher than what lies beside it.
struct LocalPeak {
  Interval<Step> steps{};
  Bytes bytes{};
  friend bool operator==(const LocalPeak&, const LocalPeak&) = default;
};

/// The local peaks of `curve`, which ends before `end`: the highest first, equal ones in time. A
/// plateau counts once. O(n log n).
std::vector<LocalPeak> localPeaks(const StepFunction& curve, Step end);

/// When each stay is last read or written, within its own steps; nothing when no step touches it.
/// One that ends later than the step after that is freed late: a graph output, or a buffer that an
/// alias keeps. Of a problem whose ops are not known nobody is late. O(stays + uses).
IdMap<StayId, std::optional<Step>> lastUses(const Problem& problem);

}  // namespace hw
