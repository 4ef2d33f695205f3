#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace hw {

/// Seconds since some moment in the past; tests bring their own.
using Clock = std::function<double()>;

/// The time of `clock`; an empty one stands for the machine's.
double secondsNow(const Clock& clock);

/// The budget used so far by all searches of one planning, over all pools and all rounds of
/// spilling: a budget is for the whole, however often it has to be planned.
struct SearchUse {
  std::int64_t tries = 0;  ///< Sequences completed, orders tried; of the skyline, placements.
  std::int64_t nodes = 0;  ///< Placements made.
  std::optional<double> start{};  ///< When the first search began.
  /// Of what is left, how much one search may take: 1 where it is the only one; less where more may
  /// follow, for the last of them counts.
  double share = 1;

  /// When a search has to be done that belongs to a planning of `limit` seconds; nothing when 0: no
  /// limit. The first question starts the time.
  std::optional<double> deadline(double limit, const Clock& clock);

  /// Seconds that one search of a planning of `limit` seconds may take: its share of those that are
  /// left, but a fiftieth of the limit at least, so that the last ones find something too; 0 when
  /// `limit` is: no limit.
  double seconds(double limit, const Clock& clock);

  /// The limit for a count that stands at `used` when a planning may use `budget`.
  std::int64_t most(std::int64_t used, std::int64_t budget) const;
};

}  // namespace hw
