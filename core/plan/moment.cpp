#include "core/plan/moment.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace hw {
namespace {

/// Where the regions of a pool start when they are laid one after the other.
std::vector<Bytes> regionStarts(const Plan& plan, PoolId pool) {
  std::vector<Bytes> starts;
  Bytes start;
  if (!plan.regions.contains(pool)) return starts;
  for (const Bytes size : plan.regions[pool]) {
    starts.push_back(start);
    start += size;
  }
  return starts;
}

/// The stays of the pool with their flat ranges and live stretches.
std::vector<Moment::Tenant> tenantsOf(const Problem& problem, const Plan& plan, PoolId pool) {
  const std::vector<Bytes> starts = regionStarts(plan, pool);
  std::vector<Moment::Tenant> tenants;
  for (const StayId id : plan.addresses.keys()) {
    const auto& at = plan.addresses[id];
    if (!at || at->pool != pool || at->region.index() >= starts.size()) continue;
    const Bytes begin = starts[at->region.index()] + at->offset;
    for (const Interval<Step>& steps : problem.liveSteps(id)) {
      tenants.push_back({id, {begin, begin + problem.stays[id].size}, steps, 0});
    }
  }
  return tenants;
}

void findHoles(Moment& moment) {
  StayId below;
  Step belowEnds;
  for (std::size_t i = 0; i < moment.tenants.size(); ++i) {
    const Moment::Tenant& tenant = moment.tenants[i];
    if (moment.top < tenant.bytes.begin) {
      Moment::Hole hole{.bytes = {moment.top, tenant.bytes.begin},
                        .below = below,
                        .above = tenant.stay,
                        .until = tenant.steps.end,
                        .wall = i};
      if (below) hole.until = std::min(hole.until, belowEnds);
      moment.holeBytes += hole.bytes.length();
      moment.holes.push_back(hole);
    }
    if (tenant.bytes.end < moment.top) continue;
    moment.top = tenant.bytes.end;
    below = tenant.stay;
    belowEnds = tenant.steps.end;
  }
}

}  // namespace

const Moment::Hole* Moment::largestHole() const {
  const auto largest =
      std::ranges::max_element(holes, {}, [](const Hole& hole) { return hole.bytes.length(); });
  return largest == holes.end() ? nullptr : &*largest;
}

Moment momentAt(const Problem& problem, const Plan& plan, PoolId pool, Step step) {
  Moment moment{.pool = pool, .step = step};
  moment.tenants = tenantsOf(problem, plan, pool);
  std::erase_if(moment.tenants,
                [&](const Moment::Tenant& tenant) { return !tenant.steps.contains(step); });
  std::ranges::sort(moment.tenants, {}, &Moment::Tenant::bytes);
  findHoles(moment);
  // Not the sum: an output written over its input shares its bytes for a step.
  moment.live = moment.top - moment.holeBytes;
  for (Moment::Tenant& tenant : moment.tenants) {
    tenant.share = static_cast<double>(tenant.bytes.length().count()) /
                   static_cast<double>(moment.live.count());
  }
  moment.footprint = plan.footprint(pool);
  moment.above = moment.footprint - moment.top;
  return moment;
}

std::optional<Step> peakStep(const Problem& problem, const Plan& plan, PoolId pool) {
  struct Change {
    Step step{};
    bool begins = false;
    Interval<Bytes> bytes{};
  };
  std::vector<Change> changes;
  for (const Moment::Tenant& tenant : tenantsOf(problem, plan, pool)) {
    changes.push_back({tenant.steps.begin, true, tenant.bytes});
    changes.push_back({tenant.steps.end, false, tenant.bytes});
  }
  std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.step, c.begins); });
  std::multiset<Bytes> tops;
  Bytes live;
  std::optional<std::tuple<Bytes, Bytes, Step>> best;  // Top, live, step.
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    if (change.begins) {
      tops.insert(change.bytes.end);
      live += change.bytes.length();
    } else {
      tops.erase(tops.find(change.bytes.end));
      live -= change.bytes.length();
    }
    if (i + 1 < changes.size() && changes[i + 1].step == change.step) continue;
    if (tops.empty()) continue;
    const bool higher = !best || std::pair(*tops.rbegin(), live) >
                                     std::pair(std::get<0>(*best), std::get<1>(*best));
    if (higher) best = {*tops.rbegin(), live, change.step};
  }
  if (!best) return std::nullopt;
  return std::get<2>(*best);
}

}  // namespace hw
