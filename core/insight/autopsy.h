#pragma once

#include <optional>
#include <vector>

#include "core/insight/moment.h"

namespace hw {

struct Run;

/// Why a plan does not fit, with figures. Made from the problem and the finished plan alone.
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

}  // namespace hw
