#include "core/plan/metrics.h"

#include <algorithm>
#include <optional>

#include "core/plan/wide_sum.h"

namespace hw {
namespace {

struct Change {
  Step step{};
  std::int64_t bytes = 0;
};

/// Adds up `changes` in step order; equal values in a row are one piece.
StepFunction accumulate(std::vector<Change> changes) {
  std::ranges::sort(changes, {}, &Change::step);
  StepFunction function;
  WideSum sum;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    sum.add(changes[i].bytes);
    if (i + 1 < changes.size() && changes[i + 1].step == changes[i].step) continue;
    const Bytes before = function.pieces.empty() ? Bytes() : function.pieces.back().value;
    if (sum.bytes() != before) function.pieces.push_back({changes[i].step, sum.bytes()});
  }
  return function;
}

/// Live bytes; with `overlaid` every stay that may be written over an input counts from its second
/// step on, as if it were.
StepFunction liveBytes(const Problem& problem, std::optional<PoolId> pool, bool overlaid) {
  std::vector<Change> changes;
  changes.reserve(2 * (problem.stays.size() + problem.gaps.size()));
  const auto hold = [&](Interval<Step> steps, Bytes size) {
    changes.push_back({steps.begin, size.count()});
    changes.push_back({steps.end, -size.count()});
  };
  for (const StayId id : problem.stays.keys()) {
    if (pool && problem.poolOf(id) != *pool) continue;
    Interval<Step> steps = problem.stays[id].steps;
    if (overlaid && !problem.overlaysOf(id).empty()) steps.begin += Step(1);
    hold(steps, problem.stays[id].size);
  }
  for (const Gap& gap : problem.gaps) {
    if (pool && problem.poolOf(gap.stay) != *pool) continue;
    hold(gap.steps, Bytes() - problem.stays[gap.stay].size);
  }
  return accumulate(std::move(changes));
}

double gapAbove(Bytes peak, Bytes bound) {
  if (bound == Bytes()) return 0;
  return static_cast<double>(peak.count()) / static_cast<double>(bound.count()) - 1;
}

}  // namespace

Bytes StepFunction::at(Step step) const {
  const auto after = std::ranges::upper_bound(pieces, step, {}, &Piece::from);
  return after == pieces.begin() ? Bytes() : std::prev(after)->value;
}

Bytes StepFunction::max() const {
  Bytes greatest;
  for (const Piece& piece : pieces) greatest = std::max(greatest, piece.value);
  return greatest;
}

Step StepFunction::argMax() const {
  const auto greatest = std::ranges::max_element(pieces, {}, &Piece::value);
  return greatest == pieces.end() ? Step() : greatest->from;
}

StepFunction liveBytes(const Problem& problem, PoolId pool) {
  return liveBytes(problem, std::optional(pool), false);
}

StepFunction liveBytes(const Problem& problem) { return liveBytes(problem, std::nullopt, false); }

Bytes lowerBound(const Problem& problem, PoolId pool) {
  return liveBytes(problem, std::optional(pool), true).max();
}

Bytes lowerBound(const Problem& problem) { return liveBytes(problem, std::nullopt, true).max(); }

double Fragmentation::ratio() const {
  if (holes == Bytes()) return 0;
  return 1 - static_cast<double>(largestHole.count()) / static_cast<double>(holes.count());
}

double PoolMetrics::gap() const { return gapAbove(peak, lowerBound); }

double PlanMetrics::gap() const {
  WideSum peaks;
  for (const PoolMetrics& pool : pools) peaks.add(pool.peak.count());
  return gapAbove(peaks.bytes(), lowerBound);
}

}  // namespace hw
