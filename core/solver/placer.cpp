#include "core/solver/placer.h"

#include <algorithm>

namespace hw {
namespace {

template <class Array, class Value>
void shiftIn(Array& array, std::size_t at, std::size_t count, const Value& value) {
  std::move_backward(array.begin() + static_cast<std::ptrdiff_t>(at),
                     array.begin() + static_cast<std::ptrdiff_t>(count),
                     array.begin() + static_cast<std::ptrdiff_t>(count) + 1);
  array[at] = value;
}

/// The cost of finding and sorting one neighbour, in stays walked past: measured.
constexpr double kSortingCost = 256;

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

void AddressList::Chunk::insert(std::size_t at, const Entry& entry, Life life) {
  shiftIn(begins, at, count, life.begin);
  shiftIn(ends, at, count, life.end);
  shiftIn(entries, at, count, entry);
  ++count;
}

void AddressList::insert(const Entry& entry, Life life) {
  const Bytes begin = entry.bytes.begin;
  if (chunks_.empty()) chunks_.emplace_back();
  // The last chunk that begins at or below it; the first of all where none does.
  const auto above =
      std::upper_bound(chunks_.begin(), chunks_.end(), begin, [](Bytes at, const Chunk& chunk) {
        return chunk.count > 0 && at < chunk.entries[0].bytes.begin;
      });
  auto index = static_cast<std::size_t>(above - chunks_.begin());
  index -= index > 0 ? 1 : 0;
  if (chunks_[index].count == kChunk) {
    cutInTwo(index);
    if (begin >= chunks_[index + 1].entries[0].bytes.begin) ++index;
  }
  Chunk& chunk = chunks_[index];
  const auto last = chunk.entries.begin() + static_cast<std::ptrdiff_t>(chunk.count);
  const auto at =
      std::upper_bound(chunk.entries.begin(), last, begin,
                       [](Bytes value, const Entry& each) { return value < each.bytes.begin; });
  chunk.insert(static_cast<std::size_t>(at - chunk.entries.begin()), entry, life);
}

void AddressList::cutInTwo(std::size_t index) {
  constexpr std::size_t kHalf = kChunk / 2;
  Chunk upper;
  Chunk& lower = chunks_[index];
  for (std::size_t i = kHalf; i < kChunk; ++i) {
    upper.insert(i - kHalf, lower.entries[i], {lower.begins[i], lower.ends[i]});
    lower.begins[i] = std::numeric_limits<std::int32_t>::max();
  }
  lower.count = kHalf;
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, upper);
}

/// Finds the place for one stay while blocks go by in address order.
class Placer::Fit {
 public:
  Fit(const Stay& stay, FitRule rule) : stay_(stay), rule_(rule) {}

  /// False when no other block matters any more.
  bool pass(const Block& block) {
    if (rule_ != FitRule::stacked) {
      const Bytes at = alignUp(top_, stay_.alignment);
      const Bytes slack = block.bytes.begin - at - stay_.size;
      if (slack >= Bytes() && (!best_ || slack < bestSlack_)) {
        best_ = at;
        bestSlack_ = slack;
        bestUnder_ = at == top_ ? under_ : StayId();
        if (rule_ == FitRule::first) return false;
      }
    }
    if (block.bytes.end >= top_) {
      top_ = block.bytes.end;
      under_ = block.stay;
    }
    return true;
  }

  struct Place {
    Bytes offset{};
    StayId under{};
  };
  Place place() const {
    if (best_) return {*best_, bestUnder_};
    const Bytes at = alignUp(top_, stay_.alignment);
    return {at, at == top_ ? under_ : StayId()};
  }

 private:
  const Stay& stay_;
  FitRule rule_;
  Bytes top_;  ///< No byte at or above it is taken by what went by.
  StayId under_;
  std::optional<Bytes> best_;
  Bytes bestSlack_;
  StayId bestUnder_;
};

Placer::Placer(const Problem& problem, PoolId pool, std::optional<FitRule> only)
    : problem_(problem), neighbours_(problem, pool), offsets_(problem.stays.size()) {
  if (!problem.overlaps.empty()) {
    partners_.resize(problem.stays.size());
    for (const Overlap& overlap : problem.overlaps) {
      const Apart apart = problem.apart(overlap);
      partners_[overlap.over.index()][0] = {overlap.under, apart};
      // Seen from `under`, the two distances change places.
      partners_[overlap.under.index()][1] = {overlap.over, {apart.above, apart.below}};
    }
    return;
  }
  if (only == FitRule::stacked && problem.gaps.empty()) {
    rankSteps();
    stack_.emplace(2 * stays().size());
    return;
  }
  // Sorting k answers costs much more than walking past k that are no neighbours.
  const auto count = static_cast<double>(stays().size());
  dense_ = countPairs(problem, stays()) * kSortingCost > count * count;
  if (dense_) rankSteps();
}

/// Lives as ranks among all begins and ends, which fit 32 bits whatever the steps.
void Placer::rankSteps() {
  std::vector<Step> steps;
  for (const StayId id : stays()) {
    steps.push_back(problem_.stays[id].steps.begin);
    steps.push_back(problem_.stays[id].steps.end);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const auto rank = [&](Step step) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(steps, step) - steps.begin());
  };
  lives_.resize(problem_.stays.size());
  for (const StayId id : stays()) {
    const Interval<Step>& live = problem_.stays[id].steps;
    lives_[id.index()] = {rank(live.begin), rank(live.end)};
  }
}

void Placer::fix(StayId id, Bytes offset) {
  const Stay& stay = problem_.stays[id];
  offsets_[id.index()] = offset;
  peak_ = std::max(peak_, offset + stay.size);
  if (stack_) {
    stack_->raise(lives_[id.index()], {offset + stay.size, offset, id});
  } else if (dense_) {
    placed_.insert({{offset, offset + stay.size}, id}, lives_[id.index()]);
  } else {
    neighbours_.insert(id);
  }
}

/// The bytes that `id` has to keep clear of because of `other`: all of its bytes, or where the two
/// may overlap, those that keep them far enough apart. That may be less than nothing: it ends
/// before it begins, and what lies below it has to end below its begin, what lies above, above its
/// end.
Placer::Block Placer::blockFor(StayId id, StayId other) const {
  const Bytes begin = offsets_[other.index()];
  const Block whole{{begin, begin + problem_.stays[other].size}, other};
  if (partners_.empty()) return whole;
  for (const Partner& partner : partners_[id.index()]) {
    if (partner.stay != other) continue;
    return {{begin + problem_.stays[id].size - partner.apart.below, begin + partner.apart.above},
            other};
  }
  return whole;
}

Bytes Placer::place(StayId id, FitRule rule) {
  if (stack_) {
    const StackTree::Top top = stack_->highest(lives_[id.index()]);
    const Bytes at = alignUp(top.end, problem_.stays[id].alignment);
    restsOn_ = at == top.end ? top.stay : StayId();
    fix(id, at);
    return at;
  }
  Fit fit(problem_.stays[id], rule);
  if (dense_) {
    placed_.forEachAlive(lives_[id.index()], [&](const Block& block) {
      if (!problem_.gaps.empty() && !neighbours_.liveTogether(id, block.stay)) return true;
      return fit.pass(block);
    });
  } else {
    neighbours_.query(id, together_);
    others_.clear();
    for (const StayId other : together_) others_.push_back(blockFor(id, other));
    std::ranges::sort(others_, [](const Block& a, const Block& b) {
      return std::pair(a.bytes, a.stay) < std::pair(b.bytes, b.stay);
    });
    for (const Block& block : others_) {
      if (!fit.pass(block)) break;
    }
  }
  const Fit::Place place = fit.place();
  restsOn_ = place.under;
  fix(id, place.offset);
  return place.offset;
}

void Placer::clear() {
  neighbours_.clear();
  placed_.clear();
  if (stack_) stack_->clear();
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
    if (++done % kPlacementsBetweenLooks == 0 && stopped()) return false;
    placer.place(id, rule);
  }
  return true;
}

}  // namespace hw
