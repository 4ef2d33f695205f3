#include "core/insight/moment.h"

#include <algorithm>
#include <array>

#include "core/picture/block_store.h"
#include "core/plan/frames.h"
#include "core/plan/life_edges.h"
#include "core/residency/moving_devices.h"
#include "core/run/run.h"

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

/// Wall of a hole: a tenant, or the block that it has to itself.
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
    tenant.share = tenant.bytes.length().real() / moment.live.real();
  }
  moment.footprint = plan.footprint(pool);
  moment.above = moment.footprint - moment.top;
  return moment;
}

namespace {

/// Of the stays that were told to be in `pool`, by the problem or by residency.
Bytes boundOf(const Problem& problem, PoolId pool) {
  Problem there;
  there.pools = problem.pools;
  there.steps = problem.steps;
  for (const StayId id : problem.stays.keys()) {
    const PoolId asked = problem.stays[id].pool;
    if (asked != pool && (asked || problem.pools.size() > 1)) continue;
    for (const Interval<Step>& gap : problem.gapsOf(id)) {
      there.gaps.push_back({StayId(there.stays.size()), gap});
    }
    there.stays.add(problem.stays[id]);
  }
  return lowerBound(there);
}

/// The bytes of all pools; nothing when one of them has no limit.
std::optional<Bytes> totalCapacity(const Problem& problem) {
  Bytes total;
  for (const ProblemPool& pool : problem.pools) {
    if (!pool.capacity) return std::nullopt;
    total += *pool.capacity;
  }
  return total;
}

/// Which pool a stay is in may have been decided badly, so only all pools together prove anything.
Autopsy::Cause causeOf(const Problem& problem, const Autopsy& found) {
  const auto total = totalCapacity(problem);
  if (total && found.lowerBound > *total) return Autopsy::Cause::impossible;
  const bool enough = std::ranges::any_of(
      found.pools, [&](const auto& pool) { return pool.freeBytes >= found.wanted; });
  return enough ? Autopsy::Cause::fragmentation : Autopsy::Cause::exhaustion;
}

/// An online allocator stopped: the plan holds what was placed until then.
Autopsy ofFailure(const Problem& problem, const Plan& plan, const OutOfMemory& failure) {
  Autopsy found{.stay = failure.stay, .step = failure.step, .wanted = failure.wanted};
  for (const OutOfMemory::PoolState& state : failure.pools) {
    Autopsy::Pool pool{.pool = state.pool,
                       .capacity = state.capacity,
                       .lowerBound = boundOf(problem, state.pool),
                       .freeBytes = state.freeBytes,
                       .largestFree = state.largestFree,
                       .moment = momentAt(problem, plan, state.pool, failure.step)};
    // Had the pool been that large, the stay would have gone on top of all that was there.
    pool.sufficient =
        alignUp(pool.moment.top, problem.stays[failure.stay].alignment) + failure.wanted;
    found.pools.push_back(std::move(pool));
  }
  return found;
}

/// The first stay, by step, of `pool` that ends above its capacity.
StayId firstAbove(const Problem& problem, const Plan& plan, PoolId pool, Bytes capacity) {
  std::vector<Bytes> starts;
  Bytes start;
  for (const Bytes size : plan.regions[pool]) {
    starts.push_back(start);
    start += size;
  }
  StayId first;
  for (const StayId id : problem.stays.keys()) {
    const auto& at = plan.addresses[id];
    if (!at || at->pool != pool) continue;
    const Stay& stay = problem.stays[id];
    if (starts[at->region.index()] + at->offset + stay.size <= capacity) continue;
    if (!first || stay.steps.begin < problem.stays[first].steps.begin) first = id;
  }
  return first;
}

/// A whole plan that needs more than there is.
std::optional<Autopsy> ofOverflow(const Problem& problem, const Plan& plan) {
  for (const PoolId id : problem.pools.keys()) {
    const auto& capacity = problem.pools[id].capacity;
    if (!capacity || plan.footprint(id) <= *capacity) continue;
    const StayId stay = firstAbove(problem, plan, id, *capacity);
    if (!stay) continue;
    Autopsy found{
        .stay = stay, .step = problem.stays[stay].steps.begin, .wanted = problem.stays[stay].size};
    Autopsy::Pool pool{.pool = id,
                       .capacity = *capacity,
                       .lowerBound = boundOf(problem, id),
                       .sufficient = plan.footprint(id),
                       .moment = momentAt(problem, plan, id, found.step)};
    Bytes top;
    Bytes used;
    for (const Moment::Tenant& tenant : pool.moment.tenants) {
      if (tenant.stay == stay) continue;
      const Bytes begin = std::min(tenant.bytes.begin, *capacity);
      const Bytes end = std::min(tenant.bytes.end, *capacity);
      pool.largestFree = std::max(pool.largestFree, begin - top);
      used += end - begin;
      top = end;
    }
    pool.largestFree = std::max(pool.largestFree, *capacity - top);
    pool.freeBytes = *capacity - used;
    found.pools.push_back(std::move(pool));
    return found;
  }
  return std::nullopt;
}

std::optional<Autopsy> autopsyWith(const Problem& problem, const Plan& plan, Bytes bound) {
  auto found =
      plan.outOfMemory ? ofFailure(problem, plan, *plan.outOfMemory) : ofOverflow(problem, plan);
  if (!found) return found;
  found->lowerBound = bound;
  for (Autopsy::Pool& pool : found->pools) pool.lowerBound = std::min(pool.lowerBound, bound);
  found->cause = causeOf(problem, *found);
  return found;
}

}  // namespace

std::string_view causeName(Autopsy::Cause cause) {
  constexpr std::array<std::string_view, 3> kNames = {"impossible", "exhaustion", "fragmentation"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::optional<Autopsy> autopsy(const Problem& problem, const Plan& plan) {
  return autopsyWith(problem, plan, leastLive(problem));
}

std::optional<Autopsy> autopsy(const Run& run) {
  const Bytes bound = std::min(leastLive(run.problem), run.metrics.lowerBound);
  return autopsyWith(run.problem, run.plan, bound);
}

std::vector<LocalPeak> localPeaks(const StepFunction& curve, Step end) {
  // The curve may have pieces without length, and neighbours of equal value: neither is a peak.
  std::vector<LocalPeak> runs;
  for (std::size_t i = 0; i < curve.pieces.size(); ++i) {
    const Step from = curve.pieces[i].from;
    const Step to = i + 1 < curve.pieces.size() ? std::min(end, curve.pieces[i + 1].from) : end;
    if (from >= to) continue;
    if (!runs.empty() && runs.back().bytes == curve.pieces[i].value) {
      runs.back().steps.end = to;
    } else {
      runs.push_back({{from, to}, curve.pieces[i].value});
    }
  }
  std::vector<LocalPeak> peaks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Bytes before = i == 0 ? Bytes() : runs[i - 1].bytes;
    const Bytes after = i + 1 < runs.size() ? runs[i + 1].bytes : Bytes();
    if (runs[i].bytes > before && runs[i].bytes > after) peaks.push_back(runs[i]);
  }
  std::ranges::stable_sort(peaks, std::greater{}, &LocalPeak::bytes);
  return peaks;
}

IdMap<StayId, std::optional<Step>> lastUses(const Problem& problem) {
  IdMap<StayId, std::optional<Step>> last(problem.stays.size());
  if (problem.uses.empty()) {
    // Without ops every stay counts as read at its last step.
    for (const StayId id : problem.stays.keys()) {
      const Interval<Step> steps = problem.stays[id].steps;
      if (!steps.empty()) last[id] = steps.end - Step(1);
    }
    return last;
  }
  const auto touch = [&](StayId stay, Step step) {
    if (!stay || !problem.stays[stay].steps.contains(step)) return;
    last[stay] = std::max(last[stay].value_or(step), step);
  };
  for (const StepUses& uses : problem.uses) {
    for (const StayId stay : uses.reads) touch(stay, uses.step);
    for (const StayId stay : uses.writes) touch(stay, uses.step);
  }
  for (const Move& move : problem.moves) {
    touch(move.from, move.step);
    touch(move.to, move.step);
  }
  return last;
}

}  // namespace hw
