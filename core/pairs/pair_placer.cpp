#include "core/pairs/pair_placer.h"

#include <algorithm>
#include <limits>

namespace hw {
namespace {

/// Sums of costs stay below this in a search. Models whose penalties sum up to more are searched
/// with the large ones cut down.
constexpr std::int64_t kMostCost = std::int64_t{1} << 61;
/// Steps of sorting by insertion, per entry, before it is done in another way.
constexpr std::size_t kMostSortSteps = 8;
/// Above all offsets, and below what overflows when an alignment is added.
constexpr std::int64_t kBeyondOffsets = std::numeric_limits<std::int64_t>::max() / 2;

}  // namespace

struct PairPlacer::Sweep {
  const Edge* begins = nullptr;
  const Edge* ends = nullptr;
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::int64_t mask = 0;
  std::int64_t cost = 0;
  Place best{.offset = kNowhere, .cost = kBeyondOffsets};
  std::uint32_t ties = 0;
};

PairPlacer::PairPlacer(const PairModel& model, Heeds heeds)
    : model_(model), heeds_(heeds), count_(static_cast<std::uint32_t>(model.blocks.size())) {
  ceiling_ = std::min(model.capacity.value_or(kMaxBytes), kMaxBytes).count();
  for (const PairModel::Block& block : model.blocks) {
    size_.push_back(block.size.count());
    mask_.push_back(block.alignment.count() - 1);
    offset_.push_back(block.fixed.value_or(Bytes()).count());
    placed_.push_back(block.fixed ? 1 : 0);
  }
  addReserved();
  if (heeds == Heeds::penalties) addWeights();
  if (heeds == Heeds::prices) weights_.assign(count_, 1);
  std::size_t mostWalls = 0;
  std::size_t mostEdges = 0;
  for (std::uint32_t block = 0; block < count_; ++block) {
    addNeighbours(block);
    mostWalls = std::max(mostWalls, wallSpans_.back().count);
    mostEdges = std::max(mostEdges, edgeSpans_.back().count);
  }
  wallKeys_.resize(mostWalls);
  beginKeys_.resize(mostEdges + 1);
  endKeys_.resize(mostEdges + 1);
}

void PairPlacer::addReserved() {
  for (const Interval<Bytes>& range : model_.reserved) {
    size_.push_back(range.length().count());
    offset_.push_back(range.begin.count());
    placed_.push_back(1);
  }
}

void PairPlacer::addWeights() {
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (const std::vector<PairModel::Penalty>& penalties : model_.penalties) {
    count += static_cast<std::int64_t>(penalties.size());
    for (const PairModel::Penalty& penalty : penalties) {
      sum = std::min(kMostCost, sum + std::min(kMostCost, penalty.cost));
    }
  }
  mostCost_ = sum < kMostCost ? kMostCost : kMostCost / count;
  for (const std::vector<PairModel::Penalty>& penalties : model_.penalties) {
    for (const PairModel::Penalty& penalty : penalties) {
      weights_.push_back(std::min(penalty.cost, mostCost_));
    }
  }
  std::sort(weights_.begin(), weights_.end());
  weights_.erase(std::unique(weights_.begin(), weights_.end()), weights_.end());
}

void PairPlacer::addNeighbours(std::uint32_t block) {
  const std::size_t firstWall = walls_.size();
  const std::size_t firstEdge = begins_.size();
  for (const PairModel::Apart& apart : model_.conflicts[block]) {
    if (heeds_ == Heeds::prices && !isFixed(apart.other)) {
      addEdge(apart, apart.other);
      continue;
    }
    walls_.push_back({.distance = -apart.below.count(),
                      .length = (apart.below + apart.above).count(),
                      .other = apart.other});
  }
  for (std::uint32_t i = count_; i < size_.size(); ++i) {
    walls_.push_back({.distance = -size_[block], .length = size_[block] + size_[i], .other = i});
  }
  if (heeds_ == Heeds::penalties) addPenalties(block);
  wallSpans_.push_back({.first = firstWall, .count = walls_.size() - firstWall});
  edgeSpans_.push_back({.first = firstEdge, .count = begins_.size() - firstEdge});
}

void PairPlacer::addEdge(const PairModel::Apart& apart, std::uint32_t weight) {
  begins_.push_back({.distance = -apart.below.count(), .other = apart.other, .weight = weight});
  ends_.push_back({.distance = apart.above.count(), .other = apart.other, .weight = weight});
}

void PairPlacer::addPenalties(std::uint32_t block) {
  for (const PairModel::Penalty& penalty : model_.penalties[block]) {
    const auto found =
        std::lower_bound(weights_.begin(), weights_.end(), std::min(penalty.cost, mostCost_));
    addEdge(penalty.apart, static_cast<std::uint32_t>(found - weights_.begin()));
  }
}

void PairPlacer::clear() {
  for (std::uint32_t block = 0; block < count_; ++block) placed_[block] = isFixed(block) ? 1 : 0;
}

template <class Entry>
void PairPlacer::sortEntries(Entry* entries, std::size_t count,
                             std::vector<std::int64_t>& keys) const {
  const auto key = [this](const Entry& entry) { return offset_[entry.other] + entry.distance; };
  std::size_t steps = 0;
  for (std::size_t i = 0; i < count && steps <= kMostSortSteps * count; ++i) {
    const std::int64_t mine = key(entries[i]);
    std::size_t at = i;
    if (at > 0 && keys[at - 1] > mine) {
      const Entry entry = entries[i];
      for (; at > 0 && keys[at - 1] > mine; --at) {
        keys[at] = keys[at - 1];
        entries[at] = entries[at - 1];
      }
      entries[at] = entry;
    }
    keys[at] = mine;
    steps += i - at;
  }
  if (steps <= kMostSortSteps * count) return;
  std::sort(entries, entries + count, [&](const Entry& a, const Entry& b) {
    return key(a) != key(b) ? key(a) < key(b) : a.other < b.other;
  });
  for (std::size_t i = 0; i < count; ++i) keys[i] = key(entries[i]);
}

const PairPlacer::Wall* PairPlacer::sortWalls(std::uint32_t block) {
  const Span span = wallSpans_[block];
  Wall* const walls = walls_.data() + span.first;
  sortEntries(walls, span.count, wallKeys_);
  return walls;
}

std::int64_t PairPlacer::highestOffset(std::uint32_t block) const {
  const std::int64_t highest = ceiling_ - size_[block];
  return highest < 0 ? highest : highest & ~mask_[block];
}

std::int64_t PairPlacer::lowestFrom(std::uint32_t block, std::int64_t at) {
  const Wall* const walls = sortWalls(block);
  const std::size_t count = wallSpans_[block].count;
  const std::int64_t mask = mask_[block];
  for (std::size_t i = 0; i < count && wallKeys_[i] < at; ++i) {
    if (placed_[walls[i].other] == 0) continue;
    at = std::max(at, (wallKeys_[i] + walls[i].length + mask) & ~mask);
  }
  return at <= highestOffset(block) ? at : kNowhere;
}

std::int64_t PairPlacer::lowest(std::uint32_t block) { return lowestFrom(block, 0); }

void PairPlacer::findStretches(std::uint32_t block) {
  stretches_.clear();
  const Wall* const walls = sortWalls(block);
  const std::size_t count = wallSpans_[block].count;
  const std::int64_t mask = mask_[block];
  const std::int64_t highest = highestOffset(block);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (placed_[walls[i].other] == 0) continue;
    const std::int64_t key = wallKeys_[i];
    if (key >= at) {
      if (at > highest) return;
      stretches_.push_back({.lowest = at, .highest = std::min(key & ~mask, highest)});
    }
    at = std::max(at, (key + walls[i].length + mask) & ~mask);
  }
  if (at <= highest) stretches_.push_back({.lowest = at, .highest = highest});
}

std::int64_t PairPlacer::highest(std::uint32_t block) {
  findStretches(block);
  return stretches_.empty() ? kNowhere : stretches_.back().highest;
}

std::int64_t PairPlacer::tightest(std::uint32_t block) {
  findStretches(block);
  std::int64_t best = kNowhere;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::int64_t highest = highestOffset(block);
  for (const Stretch& stretch : stretches_) {
    const std::int64_t room = stretch.highest - stretch.lowest;
    if (stretch.highest == highest && best != kNowhere) break;
    if (room >= least) continue;
    least = room;
    best = stretch.lowest;
  }
  return best;
}

std::int64_t PairPlacer::stacked(std::uint32_t block) {
  std::int64_t at = 0;
  for (const PairModel::Apart& apart : model_.conflicts[block]) {
    if (placed_[apart.other] == 0 || isFixed(apart.other)) continue;
    at = std::max(at, offset_[apart.other] + apart.above.count());
  }
  return lowestFrom(block, (at + mask_[block]) & ~mask_[block]);
}

void PairPlacer::sweepStretch(Sweep& sweep, const Stretch& stretch, SmallDice& dice) const {
  const std::int64_t mask = sweep.mask;
  std::int64_t at = stretch.lowest;
  while (true) {
    for (; beginKeys_[sweep.begun] < at; ++sweep.begun) {
      const Edge& edge = sweep.begins[sweep.begun];
      if (placed_[edge.other] != 0) sweep.cost += weights_[edge.weight];
    }
    for (; endKeys_[sweep.ended] <= at; ++sweep.ended) {
      const Edge& edge = sweep.ends[sweep.ended];
      if (placed_[edge.other] != 0) sweep.cost -= weights_[edge.weight];
    }
    if (sweep.cost <= sweep.best.cost) {
      sweep.ties = sweep.cost < sweep.best.cost ? 1 : sweep.ties + 1;
      if (sweep.ties == 1 || dice.below(sweep.ties) == 0) {
        sweep.best = {.offset = at, .cost = sweep.cost};
      }
    }
    if (at == stretch.highest) return;
    std::int64_t next = std::min(stretch.highest, (endKeys_[sweep.ended] + mask) & ~mask);
    for (std::size_t i = sweep.begun; beginKeys_[i] < next; ++i) {
      if ((beginKeys_[i] & ~mask) <= at) continue;
      next = beginKeys_[i] & ~mask;
      break;
    }
    at = next;
  }
}

PairPlacer::Place PairPlacer::cheapest(std::uint32_t block, SmallDice& dice) {
  findStretches(block);
  if (stretches_.empty()) return {.offset = kNowhere, .cost = kBeyondOffsets};
  const Span span = edgeSpans_[block];
  Edge* const begins = begins_.data() + span.first;
  Edge* const ends = ends_.data() + span.first;
  sortEntries(begins, span.count, beginKeys_);
  sortEntries(ends, span.count, endKeys_);
  // Past the last edge there is one that is never reached.
  beginKeys_[span.count] = kBeyondOffsets;
  endKeys_[span.count] = kBeyondOffsets;
  Sweep sweep{.begins = begins, .ends = ends, .mask = mask_[block]};
  for (const Stretch& stretch : stretches_) sweepStretch(sweep, stretch, dice);
  return sweep.best;
}

std::int64_t PairPlacer::pay(std::uint32_t block) const {
  std::int64_t sum = 0;
  for (const PairModel::Penalty& penalty : model_.penalties[block]) {
    if (placed_[penalty.apart.other] == 0 || isApart(block, penalty.apart)) continue;
    sum += std::min(penalty.cost, mostCost_);
  }
  return sum;
}

}  // namespace hw
