#include <algorithm>
#include <future>
#include <map>

#include "core/plan/fragmentation_curve.h"
#include "core/plan/life_edges.h"
#include "core/plan/live_ranges.h"
#include "core/plan/metrics.h"
#include "core/plan/wide_sum.h"

namespace hw {
namespace {

/// The stays a plan put in one pool, in the flat address space of that pool.
class PoolContents {
 public:
  PoolContents(const Problem& problem, const Plan& plan, PoolId pool)
      : problem_(problem), plan_(plan) {
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
  }

  const std::vector<StayId>& stays() const { return stays_; }  ///< By id.
  const Stay& stay(StayId id) const { return problem_.stays[id]; }

  Interval<Bytes> rangeOf(StayId id) const {
    const Address& address = *plan_.addresses[id];
    const Bytes offset = starts_[address.region.index()] + address.offset;
    return {offset, offset + problem_.stays[id].size};
  }

  LifeEdges edges() const {
    LifeEdges edges;
    edges.reserve(stays_.size());
    for (const StayId id : stays_) {
      const auto item = static_cast<std::uint32_t>(id.index());
      if (problem_.gaps.empty() && problem_.overlays.empty()) {
        edges.add(problem_.stays[id].steps, item);
        continue;
      }
      const bool heir = bool(plan_.inputUnder(problem_, id));
      for (Interval<Step> live : problem_.liveSteps(id)) {
        // While it is written over its input, its bytes are the input's.
        if (heir && live.begin == problem_.stays[id].steps.begin) live.begin += Step(1);
        if (!live.empty()) edges.add(live, item);
      }
    }
    return edges;
  }

 private:
  const Problem& problem_;
  const Plan& plan_;
  std::vector<Bytes> starts_;  ///< Of every region.
  std::vector<StayId> stays_;
};

/// The live ranges of one pool and what they add up to.
class Occupancy {
 public:
  void change(const LifeEdge& edge, const PoolContents& contents) {
    const StayId stay(edge.item);
    const Interval<Bytes> range = contents.rangeOf(stay);
    const std::int64_t size = range.length().count();
    if (edge.begins()) {
      ranges_.insert({range.begin, range.end, stay});
      live_.add(size);
    } else if (ranges_.erase({range.begin, range.end, stay})) {
      live_.add(-size);
    }
  }

  Fragmentation at(Step step) {
    Fragmentation fragmentation;
    fragmentation.step = step;
    fragmentation.live = live_.bytes();
    fragmentation.top = ranges_.top();
    fragmentation.holes = std::max(Bytes(), fragmentation.top - fragmentation.live);
    fragmentation.largestHole = ranges_.largestHole();
    return fragmentation;
  }

 private:
  LiveRanges ranges_;
  WideSum live_;
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

PoolMetrics measurePool(const Plan& plan, PoolId pool, const PoolContents& contents) {
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
  metrics.lowerBound = metrics.peakLive;
  return metrics;
}

}  // namespace

std::vector<Fragmentation> fragmentationCurve(const Problem& problem, const Plan& plan,
                                              PoolId pool) {
  const PoolContents contents(problem, plan, pool);
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
  // What does not depend on each other is worked out side by side where that pays for a thread.
  constexpr std::size_t kMany = 100'000;
  const auto when = problem.stays.size() < kMany ? std::launch::deferred : std::launch::async;
  PlanMetrics metrics;
  auto bound = std::async(when, [&] { return mostLive(problem); });
  WideSum sum;
  WideSum reused;
  for (const PoolId pool : problem.pools.keys()) {
    const PoolContents contents(problem, plan, pool);
    auto again = std::async(when, [&] { return reusedBytes(contents); });
    metrics.pools.add(measurePool(plan, pool, contents));
    sum.add(metrics.pools[pool].sum.count());
    reused.add(again.get().count());
  }
  const StepFunction::Piece most = bound.get();
  metrics.lowerBound = most.value;
  metrics.lowerBoundStep = most.from;
  if (sum.approximate() > 0) metrics.reuse = reused.approximate() / sum.approximate();
  return metrics;
}

}  // namespace hw
