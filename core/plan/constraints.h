#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/base/id.h"

namespace hw {

/// Two stays, the lower id first.
struct StayPair {
  StayId a{};
  StayId b{};
  friend constexpr auto operator<=>(const StayPair&, const StayPair&) = default;
};

/// The cost of a pair whose bytes meet, in whatever unit the problem has: paid once and in full if
/// the two share any byte, as of a wait between the one that reads last and the one that writes
/// next.
struct ReusePenalty {
  StayPair pair{};
  std::int64_t cost = 0;  ///< Positive; all of a problem together at most kMostPenalty.
  friend constexpr auto operator<=>(const ReusePenalty&, const ReusePenalty&) = default;
};

/// The most that all penalties of a problem may cost together.
inline constexpr std::int64_t kMostPenalty = std::int64_t{1} << 62;

/// Rules about who may share bytes with whom, beside lives: docs/constraints.md. Ranges that are
/// reserved are facts of pools (`ProblemPool::reserved`), pins and gaps of stays.
struct Constraints {
  /// Never share bytes, whatever their lives. Ascending, each once.
  std::vector<StayPair> apart{};
  /// Proved never to be there at the same time, although their lives overlap: they may share bytes.
  /// Ascending, each once, none that is `apart`.
  std::vector<StayPair> exclusive{};
  /// Stays that begin at one offset: in one pool they share bytes, in several each has its own (a
  /// buffer in a set of banks). Groups of two or more, ascending; disjoint, and ascending by their
  /// first stay. No two in one pool are `apart`.
  std::vector<std::vector<StayId>> together{};
  /// Prices of meeting. Ascending, each pair once.
  std::vector<ReusePenalty> penalties{};
  /// The pools that a stay may lie in, ascending; none: any. Empty where no stay is restricted.
  IdMap<StayId, std::vector<PoolId>> allowed{};
  /// True if steps are an order made up for drawing, since the problem says who conflicts with
  /// whom, and not when.
  bool virtualTime = false;

  bool empty() const {
    return apart.empty() && exclusive.empty() && together.empty() && penalties.empty() &&
           allowed.empty();
  }
};

}  // namespace hw
