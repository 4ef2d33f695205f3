#include "core/plan/plan.h"

#include <algorithm>
#include <array>

namespace hw {

std::string_view statusName(PlanStatus status) {
  constexpr std::array<std::string_view, 5> kNames = {"optimal", "complete", "over-budget",
                                                      "infeasible", "stopped"};
  return kNames[static_cast<std::size_t>(status)];
}

Bytes Plan::footprint() const {
  Bytes sum;
  for (const PoolId pool : regions.keys()) sum += footprint(pool);
  return sum;
}

Bytes Plan::footprint(PoolId pool) const {
  return regions.contains(pool) ? regionStart(pool, RegionId(regions[pool].size())) : Bytes();
}

Bytes Plan::regionStart(PoolId pool, RegionId region) const {
  Bytes start;
  for (std::size_t i = 0; i < region.index(); ++i) start += regions[pool][RegionId(i)];
  return start;
}

std::optional<Bytes> Plan::flatOffset(StayId stay) const {
  const auto& address = addresses[stay];
  if (!address) return std::nullopt;
  return regionStart(address->pool, address->region) + address->offset;
}

std::vector<Bytes> Plan::regionStarts(PoolId pool) const {
  std::vector<Bytes> starts(1);
  if (!regions.contains(pool)) return starts;
  for (const Bytes size : regions[pool]) starts.push_back(starts.back() + size);
  return starts;
}

IdMap<StayId, std::optional<Bytes>> Plan::flatOffsets() const {
  IdMap<PoolId, std::vector<Bytes>> starts;
  for (const PoolId pool : regions.keys()) starts.add(regionStarts(pool));
  IdMap<StayId, std::optional<Bytes>> offsets;
  for (const auto& at : addresses) {
    const bool known = at && starts.contains(at->pool) && regions[at->pool].contains(at->region);
    offsets.add(known ? std::optional(starts[at->pool][at->region.index()] + at->offset)
                      : std::nullopt);
  }
  return offsets;
}

StayId Plan::inputUnder(const Problem& problem, StayId stay) const {
  if (!addresses[stay]) return {};
  for (const Overlay& overlay : problem.overlaysOf(stay)) {
    if (addresses[overlay.over] == addresses[stay]) return overlay.over;
  }
  return {};
}

bool fits(const Problem& problem, const Plan& plan) {
  const auto holds = [&](PoolId pool) {
    const auto& capacity = problem.pools[pool].capacity;
    return !capacity || plan.footprint(pool) <= *capacity;
  };
  return std::ranges::all_of(problem.pools.keys(), holds) &&
         std::ranges::all_of(plan.addresses, [](const auto& at) { return at.has_value(); });
}

}  // namespace hw
