#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/problem.h"

namespace hw::exact {

/// A range of sections.
struct Piece {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  ///< One past.
};

/// One stay as the search sees it: `height` high, in the sections of its pieces.
///
/// Heights and offsets are in *units*, the largest number of bytes that all offsets of a plan may
/// be multiples of without loss. A height is rounded up to whole units: nothing could begin in the
/// rest. What the stay itself needs below the capacity is `size`.
struct Box {
  StayId stay{};
  std::int64_t height = 0;
  std::int64_t alignment = 1;  ///< In units.
  std::int64_t pin = -1;       ///< Offset in units; -1: free to choose.
  Bytes size{};
  Step steps{};                  ///< How long it lives, gaps left out.
  Interval<Step> life{};         ///< From its first step to its last.
  std::uint32_t firstPiece = 0;  ///< Its pieces are [firstPiece, lastPiece) of `Boxes::pieces`.
  std::uint32_t lastPiece = 0;
  Piece hull{};  ///< From its first section to its last.
};

/// Stays of one pool that depend on each other: nothing outside is live together with any of them.
///
/// Time is cut into *sections*: the moments at which a set of stays is live that no other moment's
/// set contains. Two stays are live together exactly if they share a section.
struct Boxes {
  std::vector<Box> boxes{};
  std::vector<Piece> pieces{};
  std::uint32_t sections = 0;
  std::vector<Step> moments{};  ///< By section: a step at which just its boxes are live.
  Bytes unit{1};
  bool aligned = false;  ///< Some alignment is more than a unit.
  bool pinned = false;   ///< Some box has a pin.

  std::span<const Piece> piecesOf(const Box& box) const {
    return {pieces.data() + box.firstPiece, pieces.data() + box.lastPiece};
  }
  /// The highest offset, in units, at which `box` still ends within `capacity`; negative: none.
  std::int64_t highest(const Box& box, Bytes capacity) const;
  /// The largest sum of sizes in one section, in bytes.
  Bytes load() const;
};

/// Cuts the stays `among` (all of them of one pool) into independent parts, by time; stays with
/// gaps may tie moments together that are apart. O(n log n + sum of lives in sections).
std::vector<Boxes> independentParts(const Problem& problem, std::span<const StayId> among);

}  // namespace hw::exact
