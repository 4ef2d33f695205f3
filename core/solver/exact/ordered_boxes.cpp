#include "core/solver/exact/ordered_boxes.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hw::exact {

template <class Value>
void OrderedBoxes<Value>::fill(const Boxes& boxes, std::span<const std::uint32_t> order,
                               Bytes limit) {
  *this = {};
  const std::int64_t unit = boxes.unit.count();
  capacity = static_cast<Value>((limit.count() + unit - 1) / unit);
  plain = !boxes.aligned && !boxes.pinned;
  for (const std::uint32_t at : order) {
    const Box& box = boxes.boxes[at];
    if (box.pin >= 0) pinned.push_back(count());
    height.push_back(static_cast<Value>(box.height));
    highest.push_back(static_cast<Value>(boxes.highest(box, limit)));
    alignment.push_back(static_cast<Value>(box.alignment));
    pin.push_back(static_cast<Value>(box.pin));
    hull.push_back(box.hull);
    firstPiece.push_back(static_cast<std::uint32_t>(pieces.size()));
    for (const Piece& piece : boxes.piecesOf(box)) pieces.push_back(piece);
    gaps |= boxes.piecesOf(box).size() > 1;
  }
  firstPiece.push_back(static_cast<std::uint32_t>(pieces.size()));
  findTwins();
}

template <class Value>
/// Boxes of one shape are interchangeable, so plans that differ only by which of them lies where
/// need to be looked at once.
void OrderedBoxes<Value>::findTwins() {
  twin.assign(count(), kNone);
  if (gaps) return;
  std::vector<std::uint32_t> byShape(count());
  std::iota(byShape.begin(), byShape.end(), 0U);
  const auto shape = [&](std::uint32_t box) {
    return std::tuple(hull[box].first, hull[box].last, height[box], highest[box], alignment[box]);
  };
  std::ranges::stable_sort(byShape, {}, shape);
  for (std::size_t i = 1; i < byShape.size(); ++i) {
    const std::uint32_t a = byShape[i - 1];
    const std::uint32_t b = byShape[i];
    if (pin[a] < 0 && pin[b] < 0 && shape(a) == shape(b)) twin[b] = a;
  }
}

template <class Value>
bool OrderedBoxes<Value>::piecesOverlap(std::uint32_t a, std::uint32_t b) const {
  std::uint32_t i = firstPiece[a];
  std::uint32_t j = firstPiece[b];
  while (i < firstPiece[a + 1] && j < firstPiece[b + 1]) {
    if (pieces[i].first < pieces[j].last && pieces[j].first < pieces[i].last) return true;
    pieces[i].last < pieces[j].last ? ++i : ++j;
  }
  return false;
}

template <class Value>
bool OrderedBoxes<Value>::lift(std::uint32_t box, Value& offset,
                               std::span<const std::uint32_t> pins) const {
  if (pin[box] >= 0) {
    if (offset > pin[box]) return false;
    offset = pin[box];
    return offset <= highest[box];
  }
  for (bool again = true; again;) {
    again = false;
    const Value rest = offset % alignment[box];
    if (rest != 0) offset += alignment[box] - rest;
    for (const std::uint32_t other : pins) {
      const bool clear = pin[other] >= offset + height[box] || offset >= pin[other] + height[other];
      if (clear || !overlap(other, box)) continue;
      offset = pin[other] + height[other];
      again = true;
    }
  }
  return offset <= highest[box];
}

template struct OrderedBoxes<std::int32_t>;
template struct OrderedBoxes<std::int64_t>;

}  // namespace hw::exact
