#include "core/solver/fast/rectangles.h"

#include <algorithm>
#include <numeric>

#include "core/base/load_sweep.h"

namespace hw {
namespace {

/// Which rank a step has.
class Ranks {
 public:
  explicit Ranks(const std::vector<Interval<Step>>& lives) {
    if (lives.empty()) return;
    Step last = lives.front().end;
    origin_ = lives.front().begin;
    for (const Interval<Step>& life : lives) {
      origin_ = std::min(origin_, life.begin);
      last = std::max(last, life.end);
    }
    const auto span = static_cast<std::size_t>((last - origin_).count()) + 1;
    if (span <= kTableSteps * lives.size() + 1024) {
      count(lives, span);
    } else {
      sort(lives);
    }
  }

  std::uint32_t of(Step step) const {
    if (!table_.empty()) return table_[static_cast<std::size_t>((step - origin_).count())];
    const auto at = std::ranges::lower_bound(steps_, step);
    return static_cast<std::uint32_t>(at - steps_.begin());
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  /// A table with a row for every step is faster than sorting while it is not much longer.
  static constexpr std::size_t kTableSteps = 8;

  void count(const std::vector<Interval<Step>>& lives, std::size_t span) {
    table_.resize(span);
    const auto mark = [&](Step step) {
      table_[static_cast<std::size_t>((step - origin_).count())] = 1;
    };
    for (const Interval<Step>& life : lives) {
      mark(life.begin);
      mark(life.end);
    }
    for (std::size_t i = 0; i < span; ++i) {
      const bool used = table_[i] != 0;
      table_[i] = static_cast<std::uint32_t>(steps_.size());
      if (used) steps_.push_back(origin_ + Step(static_cast<std::int64_t>(i)));
    }
  }

  void sort(const std::vector<Interval<Step>>& lives) {
    steps_.reserve(2 * lives.size());
    for (const Interval<Step>& life : lives) {
      steps_.push_back(life.begin);
      steps_.push_back(life.end);
    }
    std::ranges::sort(steps_);
    // Clang 14 cannot use the subrange that std::ranges::unique returns.
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    steps_.shrink_to_fit();
  }

  Step origin_;
  std::vector<std::uint32_t>
      table_;                ///< By step from `origin_`; empty when ranks are searched for.
  std::vector<Step> steps_;  ///< By rank.
};

/// Fills in everything by position from the free stays, sorting them by begin (counting sort).
void arrange(const Problem& problem, const std::vector<StayId>& free, const Ranks& ranks,
             Rectangles& rectangles) {
  const std::size_t count = free.size();
  rectangles.first.assign(rectangles.steps.size() + 1, 0);
  std::vector<std::uint32_t> begins(count);
  for (std::size_t i = 0; i < count; ++i) {
    begins[i] = ranks.of(problem.stays[free[i]].steps.begin);
    ++rectangles.first[begins[i] + 1];
  }
  for (std::size_t rank = 1; rank < rectangles.first.size(); ++rank) {
    rectangles.first[rank] += rectangles.first[rank - 1];
  }
  rectangles.stays.resize(count);
  rectangles.begin.resize(count);
  rectangles.end.resize(count);
  rectangles.size.resize(count);
  std::vector<std::uint32_t> next(rectangles.first.begin(), rectangles.first.end());
  for (std::size_t i = 0; i < count; ++i) {
    const Stay& stay = problem.stays[free[i]];
    const std::uint32_t position = next[begins[i]]++;
    rectangles.stays[position] = free[i];
    rectangles.begin[position] = begins[i];
    rectangles.end[position] = ranks.of(stay.steps.end);
    rectangles.size[position] = stay.size;
  }
}

void noteAlignment(const Problem& problem, Rectangles& rectangles) {
  const auto aligned = [&](StayId id) { return problem.stays[id].alignment > Bytes(1); };
  if (std::ranges::none_of(rectangles.stays, aligned)) return;
  rectangles.alignment.reserve(rectangles.count());
  for (const StayId id : rectangles.stays) {
    rectangles.alignment.push_back(problem.stays[id].alignment);
  }
}

}  // namespace

void Rectangles::take(const Rectangles& from, std::size_t position, Interval<std::uint32_t> life) {
  stays.push_back(from.stays[position]);
  begin.push_back(life.begin);
  end.push_back(life.end);
  size.push_back(from.size[position]);
  if (!from.alignment.empty()) alignment.push_back(from.alignment[position]);
}

void Rectangles::countFirst() {
  first.assign(steps.size() + 1, 0);
  for (const std::uint32_t rank : begin) ++first[rank + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
}

Rectangles rectanglesOf(const Problem& problem, PoolId pool) {
  std::vector<StayId> free;
  std::vector<StayId> pinned;
  std::vector<Interval<Step>> lives;
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) != pool) continue;
    (problem.stays[id].pinned ? pinned : free).push_back(id);
    lives.push_back(problem.stays[id].steps);
  }
  const Ranks ranks(lives);
  Rectangles rectangles;
  rectangles.steps = ranks.steps();
  arrange(problem, free, ranks, rectangles);
  noteAlignment(problem, rectangles);
  for (const StayId id : pinned) {
    const Stay& stay = problem.stays[id];
    rectangles.pins.push_back({.begin = ranks.of(stay.steps.begin),
                               .end = ranks.of(stay.steps.end),
                               .bottom = *stay.pinned,
                               .top = *stay.pinned + stay.size});
  }
  std::ranges::stable_sort(rectangles.pins, {}, &Rectangles::Pin::begin);
  return rectangles;
}

Bytes loadBound(const Rectangles& rectangles) {
  LoadSweep load(rectangles.steps.size());
  Bytes bound;
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    load.add(rectangles.begin[i], rectangles.end[i], rectangles.size[i]);
  }
  for (const Rectangles::Pin& pin : rectangles.pins) {
    load.add(pin.begin, pin.end, pin.top - pin.bottom);
    bound = std::max(bound, pin.top);
  }
  return std::max(bound, load.most().bytes);
}

}  // namespace hw
