#include "core/solver/exact/bounds.h"

#include <algorithm>
#include <set>

namespace hw::exact {
namespace {

std::int64_t roundUp(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

/// The boxes whose alignment is a multiple of `alignment` (bytes) all begin at multiples of it, so
/// each but the topmost takes its size rounded up. The greatest sum of such in one section, less
/// the most that one of them is rounded by.
Bytes roundedLoad(const Boxes& boxes, std::int64_t alignment) {
  std::vector<std::int64_t> sum(boxes.sections, 0);
  std::vector<std::int64_t> spared(boxes.sections, 0);
  for (const Box& box : boxes.boxes) {
    if (box.alignment * boxes.unit.count() % alignment != 0) continue;
    const std::int64_t rounded = roundUp(box.size.count(), alignment);
    for (const Piece& piece : boxes.piecesOf(box)) {
      for (std::uint32_t s = piece.first; s < piece.last; ++s) {
        sum[s] += rounded;
        spared[s] = std::max(spared[s], rounded - box.size.count());
      }
    }
  }
  std::int64_t most = 0;
  for (std::size_t s = 0; s < sum.size(); ++s) most = std::max(most, sum[s] - spared[s]);
  return Bytes(most);
}

/// Boxes of one section that pins leave no room for below the highest pin lie above it.
Bytes pinnedBound(const Boxes& boxes, const std::vector<const Box*>& live) {
  std::vector<const Box*> pins;
  std::ranges::copy_if(live, std::back_inserter(pins),
                       [](const Box* box) { return box->pin >= 0; });
  if (pins.empty()) return {};
  std::ranges::sort(pins, {}, &Box::pin);
  std::int64_t top = 0;
  std::int64_t widest = 0;
  Bytes bound;
  for (const Box* pin : pins) {
    widest = std::max(widest, pin->pin - top);
    top = std::max(top, pin->pin + pin->height);
    bound = std::max(bound, boxes.unit * pin->pin + pin->size);
  }
  Bytes above = boxes.unit * top;
  Bytes spared;
  bool any = false;
  for (const Box* box : live) {
    if (box->pin >= 0 || box->height <= widest) continue;
    any = true;
    above += boxes.unit * box->height;
    spared = std::max(spared, boxes.unit * box->height - box->size);
  }
  return any ? std::max(bound, above - spared) : bound;
}

Bytes pinnedBound(const Boxes& boxes) {
  std::vector<std::vector<const Box*>> live(boxes.sections);
  for (const Box& box : boxes.boxes) {
    for (const Piece& piece : boxes.piecesOf(box)) {
      for (std::uint32_t s = piece.first; s < piece.last; ++s) live[s].push_back(&box);
    }
  }
  Bytes bound;
  for (const auto& there : live) bound = std::max(bound, pinnedBound(boxes, there));
  return bound;
}

}  // namespace

Bytes provenBound(const Boxes& boxes) {
  Bytes bound = boxes.load();
  std::set<std::int64_t> alignments{boxes.unit.count()};
  for (const Box& box : boxes.boxes) alignments.insert(box.alignment * boxes.unit.count());
  const bool whole = std::ranges::all_of(
      boxes.boxes, [&](const Box& box) { return box.size == boxes.unit * box.height; });
  // Without alignments above the unit and roundings to it, the live maximum says it all.
  for (const std::int64_t alignment : alignments) {
    if (alignment == boxes.unit.count() && whole) continue;
    bound = std::max(bound, roundedLoad(boxes, alignment));
  }
  if (boxes.pinned) bound = std::max(bound, pinnedBound(boxes));
  return attainable(boxes, bound);
}

Bytes attainable(const Boxes& boxes, Bytes bound) {
  Bytes least = kMaxBytes;
  for (const Box& box : boxes.boxes) {
    const Bytes above = std::max(Bytes(), bound - box.size);
    least = std::min(least, alignUp(above, boxes.unit * box.alignment) + box.size);
  }
  return least;
}

}  // namespace hw::exact

namespace hw {

Bytes provenBound(const Problem& problem, PoolId pool) {
  std::vector<StayId> stays;
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) == pool) stays.push_back(id);
  }
  Bytes bound;
  for (const exact::Boxes& boxes : exact::independentParts(problem, stays)) {
    bound = std::max(bound, exact::provenBound(boxes));
  }
  return bound;
}

}  // namespace hw
