#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/latency/timed_work.h"
#include "core/sim/latency_account.h"

namespace hw {

/// Looks for each stay and activity, at most: a few operators have no more plans than that.
inline constexpr std::int64_t kLooksOfEach = 1'000'000;

/// Addresses and how long the run takes with them.
struct TimedPlan {
  std::vector<Bytes> offsets{};  ///< By stay.
  SimTime latency{};
  std::string winner{};  ///< What made it: a start's name, or "search from" one.
};

/// The state of a search for the least latency.
struct LatencySample {
  double seconds = 0;
  std::int64_t looks = 0;
  SimTime latency{};
  SimTime bound{};
  std::string winner{};
};

struct LatencySearchOptions {
  std::vector<std::optional<Bytes>> capacities{};  ///< By pool; nothing: unbounded.
  std::optional<LatencyBound> bound{};             ///< Of them, where it is known already.
  /// Stays and activities looked at, at most: of the same machine, 10^8 are about a second.
  std::int64_t looks = 300'000'000;
  double seconds = 0;               ///< Search this long instead; 0: by looks, so that runs repeat.
  std::function<double()> clock{};  ///< What seconds are read from; nothing: the time of day.
  bool apartIsEnough = false;       ///< Ends with a plan that is as fast as without reuse.
  std::uint64_t seed = 1;
  std::stop_token stop{};
  std::function<void(const LatencySample&)> improved{};  ///< Also at the start.
};

/// True if a latency is as good as its bound.
constexpr bool isProved(SimTime latency, SimTime bound) {
  return latency.count() - bound.count() <= bound.count() / 1'000'000;
}

struct LatencySearchResult {
  TimedPlan best{};
  LatencyBound bound{};  ///< See `capacityBound`.
  SimTime apart{};       ///< The latency if nothing were reused.
  std::int64_t looks = 0;
  std::int64_t tries = 0;
  std::int64_t evaluations = 0;  ///< Plans that were given times.
  /// It ended because nothing is left of what reuse costs, and the bound is within a thousandth.
  bool near = false;

  /// No plan is faster, but for a millionth at most: speeds of flows that share a port are rounded
  /// down, so that a run takes some picoseconds longer than its bound.
  bool proved() const { return isProved(best.latency, bound.time); }
};

/// Looks for the addresses within the capacities that make the run end soonest, starting from
/// `starts`, each of which fits (at least one, the lowest plan first) and is valid; the result is
/// never slower than any of them. Of what is as fast, it takes what is low: no pool is filled
/// higher than it has to be. Anytime; the same looks and seed give the same result.
///
/// Stays around a reuse that is on the critical path are taken out, one to thirty, and put back one
/// after the other where the paths through their bytes cost least (`PathPlacer`); what is slower
/// even without contention is dropped at once, what is slower with it is kept now and then, less
/// often as time goes by (threshold accepting, Dueck and Scheuer 1990). Each start, packings by
/// time (`packByTime`), and greedy packings by the cost of paths are improved first, then the best
/// of them in turns. Ends when the bound is met, when nothing is left of what reuse costs and the
/// bound is near, or at once where no stay could go elsewhere: then the plan is its own bound.
LatencySearchResult searchLatency(const TimedWork& work, std::vector<TimedPlan> starts,
                                  const LatencySearchOptions& options);

}  // namespace hw
