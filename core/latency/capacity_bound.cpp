#include "core/latency/capacity_bound.h"

#include "core/latency/forced_orders.h"

namespace hw {

LatencyBound capacityBound(const TimedWork& work,
                           std::span<const std::optional<Bytes>> capacities) {
  const auto& list = work.list;
  LatencyBound bound{ForcedOrders(work, capacities).bound(),
                     "what waits for what within the capacity"};
  if (list.contention == Contention::none) return bound;
  for (std::size_t i = 0; i < work.portTotals.size(); ++i) {
    const SimTime total = SimTime(work.portTotals[i]) - earlyBy(work.activities.size());
    if (total <= bound.time) continue;
    bound = {total, i < list.ports.size() ? "port " + list.ports[i].name
                                          : "engine " + list.engines[i - list.ports.size()].name};
  }
  return bound;
}

}  // namespace hw
