#include "core/insight/moment.h"

#include <algorithm>

#include "core/picture/block_store.h"
#include "core/plan/frames.h"
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

/// What holes lie between: a tenant, or the block that it has to itself.
struct HoleWall {
  Interval<Bytes> bytes{};
  StayId stay{};
  Step until{};
};

/// Blocks that are there at the moment, and in `moment.kept` what nobody lives in of them. Tenants
/// of others are walls themselves.
std::vector<HoleWall> wallsOf(const Problem& problem, const Plan& plan, Moment& moment) {
  std::vector<HoleWall> walls;
  std::vector<StayId> framed;
  for (const Frame& frame : framesOf(problem, plan, moment.pool)) {
    if (!frame.steps.contains(moment.step)) continue;
    walls.push_back({frame.bytes, frame.tenant, frame.steps.end});
    framed.push_back(frame.tenant);
    if (frame.block) {
      framed.insert(framed.end(), frame.block->tenants.begin(), frame.block->tenants.end());
    }
    for (const KeptPiece& piece : keptOf(problem, plan, frame)) {
      if (!piece.steps.contains(moment.step)) continue;
      moment.kept.push_back({.bytes = piece.bytes,
                             .tenant = frame.tenant,
                             .block = frame.block ? frame.block->name : std::string(),
                             .until = frame.steps.end});
    }
  }
  std::ranges::sort(framed);
  for (const Moment::Tenant& tenant : moment.tenants) {
    if (std::ranges::binary_search(framed, tenant.stay)) continue;
    walls.push_back({tenant.bytes, tenant.stay, tenant.steps.end});
  }
  std::ranges::sort(walls, {}, &HoleWall::bytes);
  std::ranges::sort(moment.kept, {}, &Moment::Kept::bytes);
  return walls;
}

void findHoles(const std::vector<HoleWall>& walls, Moment& moment) {
  StayId below;
  Step belowEnds;
  for (const HoleWall& wall : walls) {
    if (moment.top < wall.bytes.begin) {
      Moment::Hole hole{.bytes = {moment.top, wall.bytes.begin},
                        .below = below,
                        .above = wall.stay,
                        .until = wall.until};
      if (below) hole.until = std::min(hole.until, belowEnds);
      moment.holeBytes += hole.bytes.length();
      moment.holes.push_back(hole);
    }
    if (wall.bytes.end < moment.top) continue;
    moment.top = wall.bytes.end;
    below = wall.stay;
    belowEnds = wall.until;
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
  findHoles(wallsOf(problem, plan, moment), moment);
  for (const Moment::Kept& kept : moment.kept) moment.keptBytes += kept.bytes.length();
  // Not the sum: an output written over its input shares its bytes for a step.
  moment.live = moment.top - moment.holeBytes - moment.keptBytes;
  for (Moment::Tenant& tenant : moment.tenants) {
    tenant.share = static_cast<double>(tenant.bytes.length().count()) /
                   static_cast<double>(moment.live.count());
  }
  moment.footprint = plan.footprint(pool);
  moment.above = moment.footprint - moment.top;
  return moment;
}

}  // namespace hw
