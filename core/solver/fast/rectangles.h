#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/problem.h"

namespace hw {

/// The stays of one pool as plain arrays, in the order of their first steps: what the skyline works
/// on, about 45 bytes a stay. A position is an index into these arrays.
///
/// Times are ranks: 0 is the first step at which anything begins or ends, 1 the next such step. A
/// stay with gaps counts as live in them, so its bytes are not shared there.
struct Rectangles {
  /// A stay whose place is given.
  struct Pin {
    std::uint32_t begin = 0;  ///< Rank.
    std::uint32_t end = 0;    ///< Rank.
    Bytes bottom{};
    Bytes top{};
  };

  std::vector<StayId> stays{};         ///< By position; those that are not pinned.
  std::vector<std::uint32_t> begin{};  ///< By position: rank.
  std::vector<std::uint32_t> end{};    ///< By position: rank, one past the last live one.
  std::vector<Bytes> size{};           ///< By position.
  std::vector<Bytes> alignment{};      ///< By position; empty when everything is aligned.
  std::vector<std::uint32_t> first{};  ///< By rank, and one past: the first position not before it.
  std::vector<Step> steps{};           ///< By rank.
  std::vector<Pin> pins{};             ///< By begin.

  std::size_t count() const { return stays.size(); }
  /// Takes over a stay of `from`, alive for other ranks, which are of these `steps`. Those that
  /// begin earlier come first; when all are there, `countFirst`.
  void take(const Rectangles& from, std::size_t position, Interval<std::uint32_t> life);
  /// Fills `first` in from `begin`.
  void countFirst();

  Step length(std::size_t position) const { return steps[end[position]] - steps[begin[position]]; }
};

/// O(n) where the steps are not many times the stays, else O(n log n).
Rectangles rectanglesOf(const Problem& problem, PoolId pool);

/// The most bytes that are live together, and at least the top of every pin: no plan of the
/// rectangles is lower. Where stays have gaps it is too high: `lowerBound` honours them. O(n).
Bytes loadBound(const Rectangles& rectangles);

}  // namespace hw
