#include "core/solver/exact/level_bound.h"

namespace hw::exact {
namespace {

/// Puts the boxes [first, last) onto the levels of the sections in `range`, none below `least`.
/// Most of a search's time goes here.
template <class Value>
void stack(const OrderedBoxes<Value>& boxes, const OpenBox<Value>* first,
           const OpenBox<Value>* last, Value least, Piece range, Value* level) {
  const Piece* const pieces = boxes.pieces.data();
  const std::uint32_t* const firstPiece = boxes.firstPiece.data();
  for (; first != last; ++first) {
    const Value bottom = std::max(first->lowest, least);
    const Value height = boxes.height[first->box];
    for (std::uint32_t p = firstPiece[first->box]; p < firstPiece[first->box + 1]; ++p) {
      const std::uint32_t end = std::min(pieces[p].last, range.last);
      for (std::uint32_t s = std::max(pieces[p].first, range.first); s < end; ++s) {
        level[s] = std::max(level[s], bottom) + height;
      }
    }
  }
}

}  // namespace

template <class Value>
bool LevelBound<Value>::fits(const OrderedBoxes<Value>& boxes, std::span<const OpenBox<Value>> open,
                             const Passed<Value>& passed, Piece range) {
  const OpenBox<Value>* const begin = open.data();
  const OpenBox<Value>* const end = begin + open.size();
  const OpenBox<Value>* ready = begin;
  while (ready != end && passed.covers(*ready)) ++ready;
  if (ready == end) return open.empty();
  Value lowestTop = std::numeric_limits<Value>::max();
  const OpenBox<Value>* under = ready;
  for (; under != end && under->lowest < lowestTop; ++under) {
    lowestTop = std::min<Value>(lowestTop, under->lowest + boxes.height[under->box]);
  }
  Value* const level = level_.data();
  std::fill(level + range.first, level + range.last, Value(0));
  stack(boxes, ready, under, Value(0), range, level);
  stack(boxes, begin, ready, lowestTop, range, level);
  stack(boxes, under, end, Value(0), range, level);
  const Value* const most = std::max_element(level + range.first, level + range.last);
  if (*most <= boxes.capacity) return true;
  ++failures_[static_cast<std::size_t>(most - level)];
  return false;
}

template class LevelBound<std::int32_t>;
template class LevelBound<std::int64_t>;

}  // namespace hw::exact
