#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/plan/problem.h"
#include "core/sim/contention.h"
#include "core/sim/hazards.h"

namespace hw {

/// Lists of numbers, one behind the other in one array.
class NumberLists {
 public:
  std::span<const std::uint32_t> of(std::size_t list) const {
    return std::span(numbers_).subspan(first_[list], first_[list + 1] - first_[list]);
  }
  /// To the list that is being written.
  void add(std::uint32_t number) { numbers_.push_back(number); }
  void endList() { first_.push_back(numbers_.size()); }
  std::size_t size() const { return first_.size() - 1; }

 private:
  std::vector<std::size_t> first_{0};
  std::vector<std::uint32_t> numbers_;
};

/// The number of no activity.
inline constexpr std::uint32_t kNoActivity = std::numeric_limits<std::uint32_t>::max();

/// `value` x `parts` / `whole`, rounded down; what is between is not.
template <class Quantity>
constexpr Quantity partOf(Quantity value, std::int64_t parts, std::int64_t whole) {
  return Quantity(static_cast<std::int64_t>(Wide{value.count()} * parts / whole));
}

/// An activity, as far as time goes.
struct TimedActivity {
  std::uint32_t engine = Activity::kNoEngine;
  std::uint32_t lane = 0;    ///< kNoActivity: none.
  std::uint32_t inLane = 0;  ///< How many are before it there.
  std::uint32_t
      engineBefore{};  ///< The one before it on an engine of several channels, or kNoActivity.
  std::uint32_t issuedBefore{};  ///< That has to start, by the issue of its device, or kNoActivity.
  SimTime fixed{};
  FlowShape flow{};

  /// The time that it takes without contention.
  SimTime alone() const { return addTime(fixed, flow.length); }
};

/// A stay, as far as addresses and time go.
struct TimedStay {
  PoolId pool{};
  Bytes size{};
  Bytes alignment{1};
  Interval<Step> steps{};
  std::uint32_t opener = 0;  ///< The first activity that touches it; kNoActivity: none does.
  bool pinned = false;

  bool liveWith(const TimedStay& other) const {
    return pool == other.pool && steps.overlaps(other.steps);
  }
};

/// The activities of a run, made ready for asking again and again how long they take when stays lie
/// elsewhere: everything that does not depend on addresses is worked out once.
///
/// A *lane* is an engine of one channel. Its activities run one after the other in program order,
/// so who waits for several of them waits for the last.
///
/// Not for overlays, nor for gaps: a stay's bytes are its own from its first step to its last.
struct TimedWork {
  /// Keeps a reference to `list`, whose stays are those of `problem`.
  TimedWork(const ActivityList& list, const Problem& problem);

  const ActivityList& list;
  std::size_t pools = 0;
  std::vector<TimedActivity> activities{};
  std::vector<TimedStay> stays{};
  std::vector<std::vector<std::uint32_t>> lanes{};  ///< Of each, its activities.
  NumberLists waits{};                              ///< By activity, whatever the addresses.
  /// By stay, of the activities that touch it: those that wait for no other of them, and those that
  /// no other of them waits for. Who has the stay's bytes next waits for the second, and of that
  /// stay the first wait, all others with them.
  NumberLists entries{};
  NumberLists exits{};
  NumberLists enters{};                    ///< By activity: the stays it is an entry of.
  NumberLists leaves{};                    ///< By activity: the stays it is an exit of.
  std::vector<std::uint32_t> byOpening{};  ///< Stays that are touched, as they are opened.
  std::vector<std::int64_t> portTotals{};  ///< By port: what all flows need there, picoseconds.

 private:
  void addActivities();
  void addStays(const Problem& problem);
  void addWaits(const Waits& hazards);
  void addTouches(const Waits& hazards);
};

}  // namespace hw
