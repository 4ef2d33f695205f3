#include "core/solver/placer.h"

#include <algorithm>

namespace hw {
namespace {

/// Pairs of stays that are live together, gaps not looked at.
double countPairs(const Problem& problem, const std::vector<StayId>& stays) {
  std::vector<Step> ends;
  ends.reserve(stays.size());
  for (const StayId id : stays) ends.push_back(problem.stays[id].steps.end);
  std::ranges::sort(ends);
  double pairs = 0;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    const auto over = std::ranges::upper_bound(ends, problem.stays[stays[i]].steps.begin);
    pairs += static_cast<double>(i) - static_cast<double>(over - ends.begin());
  }
  return pairs;
}

}  // namespace

Placer::Placer(const Problem& problem, PoolId pool)
    : problem_(problem), neighbours_(problem, pool), offsets_(problem.stays.size()) {
  // Sorting k answers costs about 8 k steps more than walking past one that is no neighbour.
  const auto count = static_cast<double>(stays().size());
  dense_ = countPairs(problem, stays()) * 16 > count * count;
}

void Placer::fix(StayId id, Bytes offset) {
  const Stay& stay = problem_.stays[id];
  offsets_[id.index()] = offset;
  peak_ = std::max(peak_, offset + stay.size);
  if (!dense_) {
    neighbours_.insert(id);
    return;
  }
  const auto above = std::ranges::upper_bound(placed_, offset, {},
                                              [](const Block& block) { return block.bytes.begin; });
  placed_.insert(above, Block{{offset, offset + stay.size}, stay.steps, id});
}

Bytes Placer::place(StayId id, FitRule rule) {
  const Stay& stay = problem_.stays[id];
  Bytes offset;
  if (dense_) {
    offset = placeAmong(stay, placed_, true, rule, id);
  } else {
    neighbours_.query(id, together_);
    others_.clear();
    for (const StayId other : together_) {
      const Bytes begin = offsets_[other.index()];
      others_.push_back({{begin, begin + problem_.stays[other].size}, {}, other});
    }
    std::ranges::sort(others_, [](const Block& a, const Block& b) {
      return std::pair(a.bytes, a.stay) < std::pair(b.bytes, b.stay);
    });
    offset = placeAmong(stay, others_, false, rule, id);
  }
  fix(id, offset);
  return offset;
}

Bytes Placer::placeAmong(const Stay& stay, const std::vector<Block>& blocks, bool filter,
                         FitRule rule, StayId id) {
  Bytes top;  // No byte at or above it is taken by what has been looked at.
  StayId under;
  std::optional<Bytes> best;
  Bytes bestSlack;
  restsOn_ = {};
  for (const Block& block : blocks) {
    if (filter && !block.steps.overlaps(stay.steps)) continue;
    if (filter && !problem_.gaps.empty() && !neighbours_.liveTogether(id, block.stay)) continue;
    const Bytes at = alignUp(top, stay.alignment);
    const Bytes slack = block.bytes.begin - at - stay.size;
    if (slack >= Bytes() && rule != FitRule::stacked && (!best || slack < bestSlack)) {
      best = at;
      bestSlack = slack;
      restsOn_ = at == top ? under : StayId();
      if (rule == FitRule::first) return at;
    }
    if (block.bytes.end >= top) {
      top = block.bytes.end;
      under = block.stay;
    }
  }
  if (best) return *best;
  const Bytes at = alignUp(top, stay.alignment);
  restsOn_ = at == top ? under : StayId();
  return at;
}

void Placer::clear() {
  neighbours_.clear();
  placed_.clear();
  peak_ = Bytes();
}

bool placeInOrder(Placer& placer, const Problem& problem, const std::vector<StayId>& order,
                  FitRule rule, const std::function<bool()>& stopped) {
  for (const StayId id : placer.stays()) {
    if (problem.stays[id].pinned) placer.fix(id, *problem.stays[id].pinned);
  }
  std::size_t done = 0;
  for (const StayId id : order) {
    if (problem.stays[id].pinned) continue;
    if (++done % 1024 == 0 && stopped()) return false;
    placer.place(id, rule);
  }
  return true;
}

}  // namespace hw
