#include "core/plan/plan.h"

#include <array>

namespace hw {

std::string_view statusName(PlanStatus status) {
  constexpr std::array<std::string_view, 5> kNames = {"optimal", "complete", "over-budget",
                                                      "infeasible", "stopped"};
  return kNames[static_cast<std::size_t>(status)];
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

StayId Plan::inputUnder(const Problem& problem, StayId stay) const {
  if (!addresses[stay]) return {};
  for (const Overlay& overlay : problem.overlaysOf(stay)) {
    if (addresses[overlay.over] == addresses[stay]) return overlay.over;
  }
  return {};
}

}  // namespace hw
