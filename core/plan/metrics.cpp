#include "core/plan/metrics.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "core/plan/constraint_use.h"
#include "core/plan/life_edges.h"
#include "core/plan/overlap_use.h"
#include "core/plan/wide_sum.h"

namespace hw {
namespace {

/// Stays of which no two may be in the same bytes at the same step, so that their sizes add up: all
/// but, of those that constraints permit to share, the smaller ones. Empty: all.
std::vector<bool> addingUp(const Problem& problem) {
  const std::vector<StayPair> pairs = sharersOf(problem);
  if (pairs.empty()) return {};
  std::vector<std::vector<StayId>> partners(problem.stays.size());
  for (const StayPair& pair : pairs) {
    partners[pair.a.index()].push_back(pair.b);
    partners[pair.b.index()].push_back(pair.a);
  }
  std::vector<StayId> order = problem.stays.keys().toVector();
  std::ranges::stable_sort(order, std::greater(),
                           [&](StayId id) { return problem.stays[id].size; });
  std::vector<bool> counted(problem.stays.size(), true);
  for (const StayId id : order) {
    if (!counted[id.index()]) continue;
    for (const StayId other : partners[id.index()]) counted[other.index()] = false;
  }
  return counted;
}

/// The lives of the stays of one pool, or of all; with `least` as few of those that may share bytes
/// as any plan has to keep apart: every stay that may be written over an input counts from its
/// second step on, as if it were. Items are stays.
LifeEdges livesOf(const Problem& problem, std::optional<PoolId> pool, bool least) {
  const std::vector<bool> counted = least ? addingUp(problem) : std::vector<bool>();
  const auto isOut = [&](StayId id) {
    return (pool && problem.poolOf(id) != *pool) || (!counted.empty() && !counted[id.index()]);
  };
  LifeEdges edges;
  edges.reserve(problem.stays.size() + problem.gaps.size());
  for (const StayId id : problem.stays.keys()) {
    if (isOut(id)) continue;
    Interval<Step> steps = problem.stays[id].steps;
    if (least && !problem.overlaysOf(id).empty()) steps.begin += Step(1);
    edges.add(steps, static_cast<std::uint32_t>(id.index()));
  }
  for (const Gap& gap : problem.gaps) {
    if (isOut(gap.stay)) continue;
    edges.addGap(gap.steps, static_cast<std::uint32_t>(gap.stay.index()));
  }
  return edges;
}

/// The bytes by which what overlaps can save changes, by step; `pool`: there alone.
std::map<Step, Bytes> savings(const Problem& problem, std::optional<PoolId> pool) {
  std::map<Step, Bytes> savings;
  for (const Overlap& overlap : problem.overlaps) {
    const PoolId there = problem.poolOf(overlap.over);
    if (there != problem.poolOf(overlap.under) || (pool && there != *pool)) continue;
    const Bytes saved = mostShared(problem, overlap);
    savings[problem.shared(overlap).begin] += saved;
    savings[problem.shared(overlap).end] -= saved;
  }
  return savings;
}

/// Calls `visit(step, bytes)` with the bytes live from each step on at which something changes.
template <class Visit>
void eachLoad(const Problem& problem, LifeEdges lives, const Visit& visit) {
  const std::vector<LifeEdge>& edges = lives.sorted();
  WideSum sum;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::int64_t size = problem.stays[StayId(edges[i].item)].size.count();
    sum.add(edges[i].begins() ? size : -size);
    if (i + 1 < edges.size() && edges[i + 1].step() == edges[i].step()) continue;
    visit(edges[i].step(), sum.bytes());
  }
}

/// Equal values in a row are one piece.
StepFunction liveBytes(const Problem& problem, std::optional<PoolId> pool) {
  StepFunction function;
  eachLoad(problem, livesOf(problem, pool, false), [&](Step step, Bytes bytes) {
    const Bytes before = function.pieces.empty() ? Bytes() : function.pieces.back().value;
    if (bytes != before) function.pieces.push_back({step, bytes});
  });
  return function;
}

StepFunction::Piece mostLive(const Problem& problem, std::optional<PoolId> pool) {
  StepFunction::Piece most;
  const std::map<Step, Bytes> less = savings(problem, pool);
  auto next = less.begin();
  Bytes saved;
  eachLoad(problem, livesOf(problem, pool, true), [&](Step step, Bytes bytes) {
    // What saves changes only where a stay begins or ends.
    for (; next != less.end() && next->first <= step; ++next) saved += next->second;
    bytes -= saved;
    if (bytes > most.value) most = {step, bytes};
  });
  return most;
}

double gapAbove(Bytes peak, Bytes bound) {
  if (bound == Bytes()) return 0;
  return peak.real() / bound.real() - 1;
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
  return liveBytes(problem, std::optional(pool));
}

StepFunction liveBytes(const Problem& problem) { return liveBytes(problem, std::nullopt); }

Bytes liveBytesAt(const Problem& problem, Step step) {
  WideSum sum;
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    if (stay.steps.contains(step)) sum.add(stay.size.count());
  }
  for (const Gap& gap : problem.gaps) {
    if (gap.steps.contains(step)) sum.add(-problem.stays[gap.stay].size.count());
  }
  return sum.bytes();
}

Bytes lowerBound(const Problem& problem, PoolId pool) { return mostLive(problem, pool).value; }

Bytes lowerBound(const Problem& problem) { return mostLive(problem).value; }

StepFunction::Piece mostLive(const Problem& problem) { return mostLive(problem, std::nullopt); }

double Fragmentation::ratio() const {
  if (holes == Bytes()) return 0;
  return 1 - largestHole.real() / holes.real();
}

double PoolMetrics::gap() const { return gapAbove(peak, lowerBound); }

PoolMetrics PlanMetrics::total() const {
  PoolMetrics all{.lowerBound = lowerBound, .peakLive = lowerBound, .peakStep = lowerBoundStep};
  WideSum peaks;
  WideSum sum;
  for (const PoolMetrics& pool : pools) {
    peaks.add(pool.peak.count());
    sum.add(pool.sum.count());
    all.stays += pool.stays;
  }
  all.peak = peaks.bytes();
  all.sum = sum.bytes();
  return all;
}

double PlanMetrics::gap() const { return total().gap(); }

}  // namespace hw
