#include "core/pairs/pair_bound.h"

#include <algorithm>

#include "core/pairs/pair_crowd.h"

namespace hw {

namespace {

/// By block: how far it at least pushes whatever conflicts with it and lies above it.
std::vector<std::int64_t> pushesOf(const PairField& field,
                                   const std::vector<std::uint32_t>& members) {
  std::vector<char> inside(field.count(), 0);
  for (const std::uint32_t member : members) inside[member] = 1;
  std::vector<std::int64_t> pushes;
  for (const std::uint32_t member : members) {
    std::int64_t least = PairField::kNowhere;
    for (const PairField::Edge& edge : field.edges[member]) {
      if (!edge.hard || !inside[edge.other]) continue;
      least = least == PairField::kNowhere ? edge.below : std::min(least, edge.below);
    }
    pushes.push_back(least == PairField::kNowhere ? field.size[member] : least);
  }
  return pushes;
}

/// The least peak when `bytes` bytes lie outside the reserved ranges.
std::int64_t peakAround(const std::vector<Interval<Bytes>>& reserved, std::int64_t bytes) {
  std::int64_t peak = bytes;
  for (const Interval<Bytes>& range : reserved) {
    if (range.begin.count() < peak) peak += range.length().count();
  }
  return peak;
}

/// A lower bound for the peak of blocks that conflict pairwise. In the order of their offsets each
/// pushes the next by its least distance, and the last takes its size: the distances, which are
/// multiples of the common alignment, bound it; and so do the bytes that are shared with nobody,
/// which lie outside the reserved ranges.
std::int64_t crowdedPeak(const PairModel& model, const PairField& field,
                         const std::vector<std::uint32_t>& members) {
  const std::vector<std::int64_t> pushes = pushesOf(field, members);
  std::int64_t pushed = 0;
  std::int64_t own = 0;
  std::int64_t last = std::int64_t{1} << 62;
  for (std::size_t i = 0; i < members.size(); ++i) {
    pushed = joinedWeight(pushed, pushes[i]);
    own = joinedWeight(own, std::min(pushes[i], field.size[members[i]]));
    last = std::min(last, field.size[members[i]] - pushes[i]);
  }
  return std::max(pushed + last, peakAround(model.reserved, own));
}

/// A lower bound for the peak from single blocks: lowest legal end of each.
std::int64_t singlePeak(const PairField& field) {
  std::int64_t peak = 0;
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    const std::int64_t lowest = field.lowest(block, 0);
    const std::int64_t offset = lowest == PairField::kNowhere ? 0 : lowest;
    peak = std::max(peak, field.fixed[block].value_or(offset) + field.size[block]);
  }
  return peak;
}

}  // namespace

PairClique heaviestClique(const PairModel& model, const PairLimits& limits,
                          const std::function<bool()>& stopped) {
  PairBudget budget(limits, stopped);
  return heaviestClique(model, budget);
}

PairClique heaviestClique(const PairModel& model, PairBudget& budget) {
  PairClique clique;
  PairModel open = model;
  open.capacity.reset();
  const PairField field = fieldOf(open);
  std::vector<std::int64_t> weights = field.size;
  std::vector<std::vector<std::uint32_t>> neighbours(field.count());
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    for (const PairField::Edge& edge : field.edges[block]) {
      if (!edge.hard) continue;
      neighbours[block].push_back(edge.other);
      weights[block] = std::min(weights[block], edge.below);
    }
  }
  const PairCrowd crowd = heaviestCrowd(neighbours, weights, budget);
  clique.members = crowd.members;
  clique.proved = crowd.proved;
  clique.nodes = budget.nodes();
  if (clique.members.empty()) return clique;
  clique.bytes = Bytes(std::max(crowdedPeak(model, field, clique.members), singlePeak(field)));
  return clique;
}

PairShortage shortageOf(const PairModel& model, const PairClique& clique) {
  PairShortage shortage{.members = clique.members, .bytes = clique.bytes};
  if (model.capacity && *model.capacity < clique.bytes) {
    shortage.missing = clique.bytes - *model.capacity;
  }
  return shortage;
}

}  // namespace hw
