#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/problem.h"

namespace hw {

/// Lives made up for stays of which it is known who conflicts with whom, and not when they live:
/// `Constraints::virtualTime`. All pairs that overlap in it conflict; the rest of the conflicts are
/// `apart`, so that the two together are the conflicts and nothing else.
struct VirtualTime {
  IdMap<StayId, Interval<Step>> lives{};
  std::vector<StayPair> apart{};  ///< Ascending.
  Step steps{};                   ///< Length of the schedule.

  /// Writes lives and `apart` into a problem of as many stays, and marks its time as virtual.
  void applyTo(Problem& problem) const;
};

/// Lives of `stays` stays by their conflicts, which are in any order, each once or more often.
/// Where these are those of intervals, the sweeps of lexicographic breadth-first searches mostly
/// find such (Corneil, Olariu, Stewart 2009), and nobody is `apart`. O((stays + conflicts) log).
VirtualTime virtualTimeOf(std::size_t stays, std::vector<StayPair> conflicts);

/// The same in the order that is given, one begin after the other: each stay lives on while those
/// that begin conflict with it.
VirtualTime virtualTimeIn(const std::vector<StayId>& order, std::vector<StayPair> conflicts);

/// The life of a stay in a program that runs in several threads: how far each of them has come
/// where the stay begins and where it ends, as vector clocks (Mattern 1989).
struct ClockLife {
  std::vector<std::int64_t> begin{};  ///< As many as threads; not negative, at most 2^40.
  std::vector<std::int64_t> end{};    ///< Nowhere less than `begin`, and somewhere more.
};

/// True if `a` ends before `b` begins, whatever the threads do.
bool endsBefore(const ClockLife& a, const ClockLife& b);

/// Pairs of stays of which neither ends before the other begins, ascending. Nothing beyond `most`.
/// O(stays^2 x threads).
std::optional<std::vector<StayPair>> conflictsOf(const IdMap<StayId, ClockLife>& lives,
                                                 std::size_t most);

/// An order in which none comes before those that end before it: by the sum of the clock where they
/// begin.
std::vector<StayId> orderOf(const IdMap<StayId, ClockLife>& lives);

}  // namespace hw
