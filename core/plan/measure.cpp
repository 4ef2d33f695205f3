#include <algorithm>
#include <future>
#include <map>

#include "core/pairs/pair_bound.h"
#include "core/plan/constraint_use.h"
#include "core/plan/fragmentation_curve.h"
#include "core/plan/frames.h"
#include "core/plan/life_edges.h"
#include "core/plan/live_ranges.h"
#include "core/plan/metrics.h"
#include "core/plan/overlap_use.h"
#include "core/plan/pair_blocks.h"
#include "core/plan/wide_sum.h"

namespace hw {
namespace {

/// The stays a plan put in one pool, in the flat address space of that pool.
class PoolContents {
 public:
  /// `pieces`: those of `ownPieces`, which outlive it.
  PoolContents(const Problem& problem, const Plan& plan, PoolId pool, const OwnPieces& pieces)
      : problem_(problem), plan_(plan), pieces_(pieces) {
    WideSum start;
    if (plan.regions.contains(pool)) {
      for (const Bytes size : plan.regions[pool]) {
        starts_.push_back(start.bytes());
        start.add(size.count());
      }
    }
    for (const StayId id : plan.addresses.keys()) {
      const auto& address = plan.addresses[id];
      if (!address || address->pool != pool || address->region.index() >= starts_.size()) continue;
      stays_.push_back(id);
    }
    for (const Overlap& overlap : problem.overlaps) {
      const auto& under = plan.addresses[overlap.under];
      if (!under || under->pool != pool || under->region.index() >= starts_.size()) continue;
      if (!sharedBytes(problem, plan, overlap).empty()) addRests(overlap);
    }
    addPieces();
    if (plan.blocks.empty()) return;
    frames_ = framesOf(problem, plan, pool);
    framed_.resize(problem.stays.size());
    for (const HeldBlock& block : plan.blocks) {
      for (const StayId id : block.tenants) framed_[id] = true;
    }
  }

  const std::vector<StayId>& stays() const { return stays_; }  ///< By id.
  const Stay& stay(StayId id) const { return problem_.stays[id]; }

  /// Behind the last stay are what overlaps leave of their inputs.
  Interval<Bytes> rangeOf(StayId id) const {
    if (!problem_.stays.contains(id)) return rests_[id.index() - problem_.stays.size()].bytes;
    const Address& address = *plan_.addresses[id];
    const Bytes offset = starts_[address.region.index()] + address.offset;
    return {offset, offset + problem_.stays[id].size};
  }

  /// The bytes that an item of `edges` keeps others off: itself, or the block that is held for it.
  Interval<Bytes> takenBy(std::uint32_t item) const {
    if (isFrame(item)) return frames_[item - firstFrame()].bytes;
    const StayId id(item);
    if (!plan_.regionsAreBlocks || !problem_.stays.contains(id)) return rangeOf(id);
    const RegionId region = plan_.addresses[id]->region;
    const Bytes begin = starts_[region.index()];
    return {begin, begin + plan_.regions[plan_.addresses[id]->pool][region]};
  }
  bool isFrame(std::uint32_t item) const { return item >= firstFrame(); }
  /// Lies in a frame, which is an item of its own.
  bool isFramed(std::uint32_t item) const {
    return !frames_.empty() && framed_.contains(StayId(item)) && framed_[StayId(item)];
  }

  /// Of stays, by their numbers, behind them of rests, and behind these of blocks with several.
  LifeEdges edges() const {
    LifeEdges edges;
    edges.reserve(stays_.size() + frames_.size());
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      edges.add(frames_[i].steps, static_cast<std::uint32_t>(firstFrame() + i));
    }
    for (const StayId id : stays_) {
      if (!pieces_.empty() && pieces_[id]) continue;  // Its pieces are among the rests.
      const auto item = static_cast<std::uint32_t>(id.index());
      if (problem_.gaps.empty() && problem_.overlays.empty() && shrinks_.empty()) {
        edges.add(problem_.stays[id].steps, item);
        continue;
      }
      const bool heir = bool(plan_.inputUnder(problem_, id));
      for (Interval<Step> live : problem_.liveSteps(id)) {
        // While it is written over its input, its bytes are the input's.
        if (heir && live.begin == problem_.stays[id].steps.begin) live.begin += Step(1);
        // While it is written over, it has what is left.
        if (const auto shrinks = shrinks_.find(id); shrinks != shrinks_.end()) {
          live.end = std::min(live.end, shrinks->second);
        }
        if (!live.empty()) edges.add(live, item);
      }
    }
    for (std::size_t i = 0; i < rests_.size(); ++i) {
      edges.add(rests_[i].steps, static_cast<std::uint32_t>(problem_.stays.size() + i));
    }
    return edges;
  }

 private:
  /// The rest of an input while what is made of it is there.
  struct Rest {
    Interval<Step> steps{};
    Interval<Bytes> bytes{};
  };

  void addRests(const Overlap& overlap) {
    const Interval<Step> steps = problem_.shared(overlap);
    shrinks_.emplace(overlap.under, steps.begin);
    const Bytes start = starts_[plan_.addresses[overlap.under]->region.index()];
    for (const Interval<Bytes>& part : restOf(problem_, plan_, overlap)) {
      rests_.push_back({steps, {start + part.begin, start + part.end}});
    }
  }

  void addPieces() {
    if (pieces_.empty()) return;
    for (const StayId id : stays_) {
      if (!pieces_[id]) continue;
      const Bytes start = starts_[plan_.addresses[id]->region.index()];
      for (const OwnPiece& piece : *pieces_[id]) {
        rests_.push_back({piece.steps, {start + piece.bytes.begin, start + piece.bytes.end}});
      }
    }
  }

  std::size_t firstFrame() const { return problem_.stays.size() + rests_.size(); }

  const Problem& problem_;
  const Plan& plan_;
  std::vector<Bytes> starts_;  ///< Of every region.
  std::vector<StayId> stays_;
  std::map<StayId, Step> shrinks_;  ///< Inputs that share bytes, and from when on.
  std::vector<Rest> rests_;
  const OwnPieces& pieces_;
  std::vector<Frame> frames_;
  IdMap<StayId, bool> framed_;  ///< Empty where there are no frames.
};

/// The live ranges of one pool and what they add up to.
class Occupancy {
 public:
  void change(const LifeEdge& edge, const PoolContents& contents) {
    const std::int64_t sign = edge.begins() ? 1 : -1;
    const bool frame = contents.isFrame(edge.item);
    if (frame || !contents.isFramed(edge.item)) {
      const Interval<Bytes> range = contents.takenBy(edge.item);
      // An end without a begin: what is written over its input and goes at once.
      if (!take(range, StayId(edge.item), edge.begins())) return;
      taken_.add(sign * range.length().count());
    }
    if (!frame) live_.add(sign * contents.rangeOf(StayId(edge.item)).length().count());
  }

  Fragmentation at(Step step) {
    Fragmentation fragmentation;
    fragmentation.step = step;
    fragmentation.live = live_.bytes();
    fragmentation.top = ranges_.top();
    fragmentation.kept = std::max(Bytes(), taken_.bytes() - fragmentation.live);
    fragmentation.holes = std::max(Bytes(), fragmentation.top - taken_.bytes());
    fragmentation.largestHole = ranges_.largestHole();
    return fragmentation;
  }

 private:
  bool take(const Interval<Bytes>& range, StayId item, bool begins) {
    if (!begins) return ranges_.erase({range.begin, range.end, item});
    ranges_.insert({range.begin, range.end, item});
    return true;
  }

  LiveRanges ranges_;  ///< Of what is taken.
  WideSum live_;
  WideSum taken_;
};

/// Fills in what depends on time: the peak, and fragmentation there and on average.
void sweep(PoolMetrics& metrics, const PoolContents& contents) {
  Occupancy occupancy;
  double weighted = 0;
  std::int64_t busySteps = 0;
  LifeEdges collected = contents.edges();
  const std::vector<LifeEdge>& edges = collected.sorted();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    occupancy.change(edges[i], contents);
    const Step step = edges[i].step();
    // Only when all changes of a step are in; after the last there is nothing left to measure.
    if (i + 1 == edges.size() || edges[i + 1].step() == step) continue;
    const Fragmentation now = occupancy.at(step);
    if (now.live == Bytes()) continue;
    const std::int64_t steps = (edges[i + 1].step() - step).count();
    weighted += now.ratio() * static_cast<double>(steps);
    busySteps += steps;
    metrics.largestHole = std::max(metrics.largestHole, now.largestHole);
    if (std::pair(now.top, now.live) > std::pair(metrics.atTop.top, metrics.atTop.live)) {
      metrics.atTop = now;
    }
    if (now.live > metrics.peakLive) {
      metrics.peakLive = now.live;
      metrics.peakStep = now.step;
      metrics.atPeak = now;
    }
  }
  if (busySteps > 0) metrics.averageFragmentation = weighted / static_cast<double>(busySteps);
}

/// Every address that ever had a tenant, as disjoint ranges.
class Footprints {
 public:
  /// Marks `range` as used and says how much of it had been used before. O(log n), amortised.
  Bytes tread(Interval<Bytes> range) {
    auto at = used_.upper_bound(range.begin);
    if (at != used_.begin() && std::prev(at)->second > range.begin) --at;
    Bytes again;
    Interval<Bytes> joined = range;
    while (at != used_.end() && at->first < range.end) {
      again += std::min(at->second, range.end) - std::max(at->first, range.begin);
      joined = {std::min(joined.begin, at->first), std::max(joined.end, at->second)};
      at = used_.erase(at);
    }
    used_[joined.begin] = joined.end;
    return again;
  }

 private:
  std::map<Bytes, Bytes> used_;  ///< Begin to end.
};

Bytes reusedBytes(const PoolContents& contents) {
  std::vector<StayId> stays = contents.stays();
  sortByKey(stays, [&](StayId id) {
    return static_cast<std::uint32_t>(contents.stay(id).steps.begin.count());
  });
  Footprints footprints;
  WideSum reused;
  for (const StayId id : stays) reused.add(footprints.tread(contents.rangeOf(id)).count());
  return reused.bytes();
}

/// The most bytes of stays of which each two conflict, by pool: with constraints these may be more
/// than are live at any step. Nothing where there are too many to look for them at every plan.
IdMap<PoolId, Bytes> conflictBounds(const Problem& problem) {
  constexpr std::size_t kMostStays = 300;
  constexpr std::int64_t kNodes = 2'000;
  IdMap<PoolId, Bytes> bounds(problem.pools.size());
  if (!isConstrained(problem) || problem.stays.size() > kMostStays) return bounds;
  const auto all = pairBlocksOf(problem);
  if (!all) return bounds;
  for (const PairBlocks& blocks : *all) {
    if (blocks.pools.size() > 1) continue;
    bounds[blocks.pools.front()] = heaviestClique(blocks.model, {.nodes = kNodes}).bytes;
  }
  return bounds;
}

PoolMetrics measurePool(const Problem& problem, const Plan& plan, PoolId pool,
                        const PoolContents& contents) {
  PoolMetrics metrics;
  metrics.pool = pool;
  WideSum peak;
  if (plan.regions.contains(pool)) {
    for (const Bytes size : plan.regions[pool]) peak.add(size.count());
  }
  metrics.peak = peak.bytes();
  WideSum sum;
  for (const StayId id : contents.stays()) sum.add(contents.rangeOf(id).length().count());
  metrics.sum = sum.bytes();
  metrics.stays = contents.stays().size();
  sweep(metrics, contents);
  // This plan need not share all that overlaps and constraints allow.
  const bool plain = problem.overlaps.empty() && problem.constraints.empty();
  metrics.lowerBound = plain ? metrics.peakLive : lowerBound(problem, pool);
  return metrics;
}

}  // namespace

std::vector<Fragmentation> fragmentationCurve(const Problem& problem, const Plan& plan,
                                              PoolId pool) {
  const OwnPieces pieces = ownPieces(problem, plan);
  const PoolContents contents(problem, plan, pool, pieces);
  LifeEdges collected = contents.edges();
  const std::vector<LifeEdge>& edges = collected.sorted();
  std::vector<Fragmentation> curve;
  Occupancy occupancy;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    occupancy.change(edges[i], contents);
    const bool last = i + 1 == edges.size() || edges[i + 1].step() != edges[i].step();
    if (last) curve.push_back(occupancy.at(edges[i].step()));
  }
  return curve;
}

PlanMetrics measure(const Problem& problem, const Plan& plan) {
  // Bounds with constraints are of the stays of a pool: those that the plan put there.
  if (isConstrained(problem) && !arePoolsDecided(problem)) {
    Problem decided = problem;
    for (const StayId id : plan.addresses.keys()) {
      if (plan.addresses[id]) decided.stays[id].pool = plan.addresses[id]->pool;
    }
    if (arePoolsDecided(decided)) return measure(decided, plan);
  }
  // What does not depend on each other is worked out side by side where that pays for a thread.
  constexpr std::size_t kMany = 100'000;
  const auto when = problem.stays.size() < kMany ? std::launch::deferred : std::launch::async;
  PlanMetrics metrics;
  auto bound = std::async(when, [&] { return mostLive(problem); });
  WideSum sum;
  WideSum reused;
  const IdMap<PoolId, Bytes> conflicts = conflictBounds(problem);
  const OwnPieces pieces = ownPieces(problem, plan);
  for (const PoolId pool : problem.pools.keys()) {
    const PoolContents contents(problem, plan, pool, pieces);
    auto again = std::async(when, [&] { return reusedBytes(contents); });
    metrics.pools.add(measurePool(problem, plan, pool, contents));
    Bytes& least = metrics.pools[pool].lowerBound;
    least = std::max(least, conflicts[pool]);
    sum.add(metrics.pools[pool].sum.count());
    reused.add(again.get().count());
  }
  const StepFunction::Piece most = bound.get();
  metrics.lowerBound = most.value;
  for (const Bytes bytes : conflicts) metrics.lowerBound = std::max(metrics.lowerBound, bytes);
  metrics.lowerBoundStep = most.from;
  if (sum.approximate() > 0) metrics.reuse = reused.approximate() / sum.approximate();
  return metrics;
}

}  // namespace hw
