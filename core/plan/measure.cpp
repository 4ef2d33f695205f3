#include <algorithm>
#include <map>
#include <set>

#include "core/plan/metrics.h"
#include "core/plan/wide_sum.h"

namespace hw {
namespace {

/// A placed stay in the flat address space of its pool.
struct Placed {
  StayId stay{};
  Interval<Bytes> range{};
};

/// The stays a plan put in one pool, by id.
std::vector<Placed> placedIn(const Problem& problem, const Plan& plan, PoolId pool) {
  std::vector<Bytes> starts;
  WideSum start;
  if (plan.regions.contains(pool)) {
    for (const Bytes size : plan.regions[pool]) {
      starts.push_back(start.bytes());
      start.add(size.count());
    }
  }
  std::vector<Placed> placed;
  for (const StayId id : plan.addresses.keys()) {
    const auto& address = plan.addresses[id];
    if (!address || address->pool != pool || address->region.index() >= starts.size()) continue;
    const Bytes offset = starts[address->region.index()] + address->offset;
    placed.push_back({id, {offset, offset + problem.stays[id].size}});
  }
  return placed;
}

struct Edge {
  Step step{};
  bool begins = false;
  Interval<Bytes> range{};
  StayId stay{};
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

std::vector<Edge> edgesOf(const Problem& problem, const Plan& plan,
                          const std::vector<Placed>& placed) {
  std::vector<Edge> edges;
  edges.reserve(2 * placed.size());
  for (const Placed& each : placed) {
    const bool heir = bool(plan.inputUnder(problem, each.stay));
    for (Interval<Step> live : problem.liveSteps(each.stay)) {
      // While it is written over its input, its bytes are the input's.
      if (heir && live.begin == problem.stays[each.stay].steps.begin) live.begin += Step(1);
      if (live.empty()) continue;
      edges.push_back({live.begin, true, each.range, each.stay});
      edges.push_back({live.end, false, each.range, each.stay});
    }
  }
  std::ranges::sort(edges);
  return edges;
}

/// The live ranges of one pool and the holes below them, kept up to date in O(log n) a change.
/// Ranges of a broken plan may overlap: then the figures mean little, but they stay defined.
class Occupancy {
 public:
  void enter(const Edge& edge) {
    const auto at = ranges_.insert({edge.range.begin, edge.range.end, edge.stay}).first;
    const auto above = std::next(at);
    if (above != ranges_.end()) forgetHole(endBelow(at), above->begin);
    noteHole(endBelow(at), at->begin);
    if (above != ranges_.end()) noteHole(at->end, above->begin);
    live_.add((at->end - at->begin).count());
  }

  void leave(const Edge& edge) {
    const auto at = ranges_.find({edge.range.begin, edge.range.end, edge.stay});
    if (at == ranges_.end()) return;
    const auto above = std::next(at);
    if (above != ranges_.end()) forgetHole(at->end, above->begin);
    forgetHole(endBelow(at), at->begin);
    if (above != ranges_.end()) noteHole(endBelow(at), above->begin);
    live_.add((at->begin - at->end).count());
    ranges_.erase(at);
  }

  Fragmentation at(Step step) const {
    Fragmentation fragmentation;
    fragmentation.step = step;
    fragmentation.live = live_.bytes();
    fragmentation.top = ranges_.empty() ? Bytes() : ranges_.rbegin()->end;
    fragmentation.holes = std::max(Bytes(), fragmentation.top - fragmentation.live);
    fragmentation.largestHole = holes_.empty() ? Bytes() : *holes_.rbegin();
    return fragmentation;
  }

 private:
  struct Range {
    Bytes begin{};
    Bytes end{};
    StayId stay{};
    friend auto operator<=>(const Range&, const Range&) = default;
  };

  Bytes endBelow(std::set<Range>::iterator at) const {
    return at == ranges_.begin() ? Bytes() : std::prev(at)->end;
  }
  void noteHole(Bytes begin, Bytes end) {
    if (begin < end) holes_.insert(end - begin);
  }
  void forgetHole(Bytes begin, Bytes end) {
    if (begin < end) holes_.erase(holes_.find(end - begin));
  }

  std::set<Range> ranges_;
  std::multiset<Bytes> holes_;
  WideSum live_;
};

/// Fills in what depends on time: the peak, and fragmentation there and on average.
void sweep(PoolMetrics& metrics, const std::vector<Edge>& edges) {
  Occupancy occupancy;
  double weighted = 0;
  std::int64_t busySteps = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i].begins ? occupancy.enter(edges[i]) : occupancy.leave(edges[i]);
    if (i + 1 == edges.size() || edges[i + 1].step == edges[i].step) continue;
    const Fragmentation now = occupancy.at(edges[i].step);
    if (now.live == Bytes()) continue;
    const std::int64_t steps = (edges[i + 1].step - edges[i].step).count();
    weighted += now.ratio() * static_cast<double>(steps);
    busySteps += steps;
    metrics.largestHole = std::max(metrics.largestHole, now.largestHole);
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

Bytes reusedBytes(const Problem& problem, std::vector<Placed> placed) {
  std::ranges::stable_sort(
      placed, {}, [&](const Placed& each) { return problem.stays[each.stay].steps.begin; });
  Footprints footprints;
  WideSum reused;
  for (const Placed& each : placed) reused.add(footprints.tread(each.range).count());
  return reused.bytes();
}

PoolMetrics measurePool(const Problem& problem, const Plan& plan, PoolId pool,
                        const std::vector<Placed>& placed) {
  PoolMetrics metrics;
  metrics.pool = pool;
  WideSum peak;
  if (plan.regions.contains(pool)) {
    for (const Bytes size : plan.regions[pool]) peak.add(size.count());
  }
  metrics.peak = peak.bytes();
  WideSum sum;
  for (const Placed& each : placed) sum.add(each.range.length().count());
  metrics.sum = sum.bytes();
  metrics.stays = placed.size();
  sweep(metrics, edgesOf(problem, plan, placed));
  metrics.lowerBound = metrics.peakLive;
  return metrics;
}

}  // namespace

PlanMetrics measure(const Problem& problem, const Plan& plan) {
  PlanMetrics metrics;
  metrics.lowerBound = lowerBound(problem);
  WideSum sum;
  WideSum reused;
  for (const PoolId pool : problem.pools.keys()) {
    const std::vector<Placed> placed = placedIn(problem, plan, pool);
    metrics.pools.add(measurePool(problem, plan, pool, placed));
    sum.add(metrics.pools[pool].sum.count());
    reused.add(reusedBytes(problem, placed).count());
  }
  if (sum.approximate() > 0) metrics.reuse = reused.approximate() / sum.approximate();
  return metrics;
}

}  // namespace hw
