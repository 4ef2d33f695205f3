#include "core/insight/moment.h"

#include <algorithm>

#include "core/picture/block_store.h"
#include "core/plan/life_edges.h"

namespace hw {
namespace {

/// Calls `visit` with the stays of the pool, once for each live stretch, and their flat ranges.
template <class Visit>
void eachTenant(const Problem& problem, const Plan& plan, PoolId pool, const Visit& visit) {
  const auto offsets = plan.flatOffsets();
  for (const StayId id : offsets.keys()) {
    if (!offsets[id] || plan.addresses[id]->pool != pool) continue;
    const Bytes begin = *offsets[id];
    const Stay& stay = problem.stays[id];
    const auto live = [&](const Interval<Step>& steps) {
      if (!steps.empty()) visit(Moment::Tenant{id, {begin, begin + stay.size}, steps, 0});
    };
    if (problem.gaps.empty()) {
      live(stay.steps);
    } else {
      std::ranges::for_each(problem.liveSteps(id), live);
    }
  }
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
  eachTenant(problem, plan, pool, [&](const Moment::Tenant& tenant) {
    if (tenant.steps.contains(step)) moment.tenants.push_back(tenant);
  });
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

}  // namespace hw
