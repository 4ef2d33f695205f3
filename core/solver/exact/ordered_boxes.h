#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

/// The boxes of one part as arrays, numbered in the order that breaks a search's ties. All numbers
/// are in units and fit into `Value` with room to add two of them.
template <class Value>
struct OrderedBoxes {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  std::vector<Value> height{};
  std::vector<Value> highest{};    ///< Offset at which the box still ends within the capacity.
  std::vector<Value> alignment{};  ///< At least 1.
  std::vector<Value> pin{};        ///< -1: none.
  std::vector<Piece> hull{};
  std::vector<Piece> pieces{};
  std::vector<std::uint32_t> firstPiece{};  ///< One more than there are boxes.
  std::vector<std::uint32_t> twin{};        ///< The box before that is just like it, or kNone.
  std::vector<std::uint32_t> pinned{};      ///< The boxes with pins.
  Value capacity = 0;                       ///< Rounded up to whole units.
  bool gaps = false;                        ///< Some box has several pieces.
  bool plain = true;                        ///< Neither pins nor alignments.

  void fill(const Boxes& boxes, std::span<const std::uint32_t> order, Bytes limit);

  std::uint32_t count() const { return static_cast<std::uint32_t>(height.size()); }
  std::span<const Piece> piecesOf(std::uint32_t box) const {
    return {pieces.data() + firstPiece[box], pieces.data() + firstPiece[box + 1]};
  }

  /// True when two boxes share a section.
  bool overlap(std::uint32_t a, std::uint32_t b) const {
    if (hull[a].first >= hull[b].last || hull[b].first >= hull[a].last) return false;
    return !gaps || piecesOverlap(a, b);
  }

  /// Moves `offset` up to where `box` is aligned and clear of those of `pins` that it overlaps. A
  /// box with a pin goes there. False when that is too high, or above the pin.
  bool lift(std::uint32_t box, Value& offset, std::span<const std::uint32_t> pins) const;

 private:
  void findTwins();
  bool piecesOverlap(std::uint32_t a, std::uint32_t b) const;
};

extern template struct OrderedBoxes<std::int32_t>;
extern template struct OrderedBoxes<std::int64_t>;

}  // namespace hw::exact
