#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/latency/reuse_timer.h"
#include "core/latency/timed_work.h"

namespace hw {

/// The known times around each stay: of a run that was simulated, or of one in which
/// nothing is reused.
struct StayTimes {
  std::vector<SimTime> ends{};   ///< When the last activity that touches it ends.
  std::vector<SimTime> tails{};  ///< From the start of the first that does to the end of the run.
};

/// Two stays of which the second took bytes that the first had.
struct ReusePair {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

/// The times around each stay, as `timer` has just run it: each activity takes as long as it
/// did, slowed or not.
StayTimes stayTimes(const TimedWork& work, const ReuseTimer& timer);

/// The reuse that holds up the run: from the last end back, at every start that waited for another
/// stay's bytes and for nothing else as long, the pairs of stays that made it wait.
std::vector<ReusePair> criticalReuse(const TimedWork& work, const ReuseTimer& timer,
                                     const std::vector<Bytes>& offsets);

/// Which of several equally good offsets is taken.
enum class TieRule : std::uint8_t { lowest, any, highest };

/// The rule by which a stay's place is chosen.
struct PathRule {
  SimTime threshold{};  ///< Paths up to this long cost nothing.
  bool noisy = false;   ///< Costs are off by up to 30 %, at random.
  TieRule ties = TieRule::lowest;
};

/// Gives a stay the place whose bytes change hands at the least cost: for every tenant before or
/// after it there, the square of what the path through both, end of the one + tail of the other,
/// exceeds the threshold by. One sweep over the places where that changes; the stays are kept in
/// the order of their addresses, so that nothing is sorted: O(n).
class PathPlacer {
 public:
  /// Keeps references. `capacities` by pool.
  PathPlacer(const TimedWork& work, std::span<const Bytes> capacities, std::mt19937_64& random);

  /// From here on stays lie at these offsets; those without a place count for nothing.
  void adopt(const std::vector<Bytes>& offsets);
  /// Adopts what was put.
  void accept();
  /// Takes stays out of the adopted plan, and forgets what was put elsewhere since.
  void takeOut(const std::vector<std::uint32_t>& stays);
  /// Puts a stay that has no place where the rule says. False when no place is free.
  bool put(std::uint32_t stay, const StayTimes& times, const PathRule& rule);

  const std::vector<Bytes>& offsets() const { return offsets_; }

 private:
  /// From offset `at` of the stay on, so much is added.
  struct Change {
    Bytes at{};
    std::int64_t cost = 0;
    int taken = 0;
  };
  /// Stays by where they begin and by where they end.
  struct Order {
    std::vector<std::uint32_t> begins{};
    std::vector<std::uint32_t> ends{};
  };
  /// The cost of meeting a stay.
  struct Price {
    std::int64_t cost = 0;
    bool taken = false;

    bool isFree() const { return cost == 0 && !taken; }
  };

  Bytes endOf(std::uint32_t stay) const { return offsets_[stay] + work_.stays[stay].size; }
  void insert(std::uint32_t stay);
  void price(std::uint32_t stay, const StayTimes& times, const PathRule& rule);
  std::int64_t costOf(SimTime path, const PathRule& rule);
  void listChanges(const TimedStay& own);
  void listCandidates(const TimedStay& own, Bytes capacity);
  std::optional<Bytes> cheapest(const TimedStay& own, Bytes capacity, TieRule ties);

  const TimedWork& work_;
  std::span<const Bytes> capacities_;
  std::mt19937_64& random_;
  std::vector<Bytes> adopted_;
  Order adoptedOrder_;
  std::vector<Bytes> offsets_;
  Order order_;
  std::vector<Price> prices_;
  std::vector<Change> starting_;   ///< Where the stay begins to meet another, ascending.
  std::vector<Change> ending_;     ///< Where it no longer does, ascending.
  std::vector<Bytes> above_;       ///< Where it could begin: on top of others,
  std::vector<Bytes> below_;       ///< right below them,
  std::vector<Bytes> candidates_;  ///< both; all ascending.
};

/// Chooses which stays a search takes out of a plan, and in what order they are put back: one to
/// some thirty, around a critical reuse most of the time.
class Removal {
 public:
  static constexpr std::size_t kMost = 30;

  /// Keeps references.
  Removal(const TimedWork& work, std::mt19937_64& random);

  /// Never a pinned one; may be none. Valid until the next call.
  const std::vector<std::uint32_t>& choose(const std::vector<Bytes>& offsets,
                                           const std::vector<ReusePair>& critical);

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  void take(std::uint32_t stay);
  std::uint32_t seed(const std::vector<ReusePair>& critical);
  void takeAlive(std::uint32_t seed, std::size_t count);
  void takeWalk(std::uint32_t seed, std::size_t count);
  void takeOpenedAround(std::uint32_t seed, std::size_t count);
  void takeTenants(std::uint32_t seed, std::size_t count, const std::vector<Bytes>& offsets);
  void order();

  const TimedWork& work_;
  std::mt19937_64& random_;
  std::vector<std::uint32_t> opening_;  ///< By stay: its place in `work.byOpening`.
  std::vector<std::uint32_t> taken_;
  std::vector<char> isTaken_;
  std::vector<std::uint32_t> found_;
};

}  // namespace hw
