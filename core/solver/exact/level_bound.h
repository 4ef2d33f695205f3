#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/solver/exact/ordered_boxes.h"

namespace hw::exact {

/// A box that has no place yet, and the lowest offset it can still get.
template <class Value>
struct OpenBox {
  Value lowest = 0;
  std::uint32_t box = 0;

  friend bool operator<(const OpenBox& a, const OpenBox& b) {
    return a.lowest != b.lowest ? a.lowest < b.lowest : a.box < b.box;
  }
};

/// Where a search stands in its order: what is not above this was passed over, and must be lifted
/// by another box before it can be placed.
template <class Value>
struct Passed {
  Value offset = -1;
  std::uint32_t box = 0;

  bool covers(const OpenBox<Value>& open) const {
    return open.lowest < offset || (open.lowest == offset && open.box <= box);
  }
};

/// Says whether some section has no room for the boxes that still have to go there.
///
/// The boxes of one section lie on top of each other, none below its lowest offset: a machine, and
/// jobs with release times. Taken in the order of these, each as early as possible, they end as
/// early as they can (Jackson 1955). So if that is above the capacity, no completion exists.
template <class Value>
class LevelBound {
 public:
  explicit LevelBound(std::uint32_t sections) : level_(sections), failures_(sections) {}

  /// True when every section of `range` has room for `open`, which is ascending. A box passed over
  /// has to lie on one that is not, so it counts from the lowest top of those on.
  bool fits(const OrderedBoxes<Value>& boxes, std::span<const OpenBox<Value>> open,
            const Passed<Value>& passed, Piece range);

  /// By section: how often it had no room.
  const std::vector<std::uint32_t>& failures() const { return failures_; }
  void forgetFailures() { std::ranges::fill(failures_, 0U); }

 private:
  std::vector<Value> level_;
  std::vector<std::uint32_t> failures_;
};

extern template class LevelBound<std::int32_t>;
extern template class LevelBound<std::int64_t>;

}  // namespace hw::exact
