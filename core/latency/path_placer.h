#pragma once

#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/latency/timed_work.h"

namespace hw {

/// What is known of the times around each stay: of a run that was simulated, or of one in which
/// nothing is reused.
struct StayTimes {
  std::vector<SimTime> ends{};   ///< When the last activity that touches it ends.
  std::vector<SimTime> tails{};  ///< From the start of the first that does to the end of the run.
};

/// Which of several equally good offsets is taken.
enum class TieRule : std::uint8_t { lowest, any, highest };

/// How a stay's place is chosen.
struct PathRule {
  SimTime threshold{};  ///< Paths up to this long cost nothing.
  bool noisy = false;   ///< Costs are off by up to 30 %, at random.
  TieRule ties = TieRule::lowest;
};

/// Gives a stay the place whose bytes change hands at the least cost: for every tenant before or
/// after it there, the square of what the path through both, end of the one + tail of the other,
/// exceeds the threshold by. One sweep over the places where that changes.
class PathPlacer {
 public:
  /// Keeps references. `capacities` by pool.
  PathPlacer(const TimedWork& work, std::span<const Bytes> capacities, std::mt19937_64& random);

  /// Nothing when no place is free. `offsets` by stay; those without a place count for nothing.
  std::optional<Bytes> place(std::uint32_t stay, std::span<const Bytes> offsets,
                             const StayTimes& times, const PathRule& rule);

 private:
  /// From offset `at` of the stay on, so much is added.
  struct Change {
    Bytes at{};
    std::int64_t cost = 0;
    int taken = 0;
  };
  void meet(const TimedStay& own, const TimedStay& other, Bytes offset, std::int64_t cost,
            bool taken);
  std::int64_t costOf(SimTime path, const PathRule& rule);

  const TimedWork& work_;
  std::span<const Bytes> capacities_;
  std::mt19937_64& random_;
  std::vector<Change> changes_;
  std::vector<Bytes> candidates_;
  int shift_ = 0;  ///< Costs are squares of 20 bits.
};

}  // namespace hw
