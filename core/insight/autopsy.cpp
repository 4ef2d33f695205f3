#include "core/insight/autopsy.h"

#include <algorithm>
#include <array>

#include "core/plan/metrics.h"
#include "core/residency/moving_devices.h"
#include "core/run/run.h"

namespace hw {
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

}  // namespace hw
