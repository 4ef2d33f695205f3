#include <fmt/format.h>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/plan/metrics.h"
#include "core/solver/order_search.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

constexpr ParamSpec kTries{.name = "tries",
                           .type = ParamType::integer,
                           .summary = "orders tried at most",
                           .fallback = "99999"};
constexpr ParamSpec kStuck{.name = "stuck",
                           .type = ParamType::integer,
                           .summary = "tries since the last gain at most",
                           .fallback = "500"};
constexpr ParamSpec kSeconds{.name = "seconds",
                             .type = ParamType::number,
                             .summary = "time limit; 0: none, so that runs repeat",
                             .fallback = "2"};
constexpr ParamSpec kParams[] = {kTries, kStuck, kSeconds};

using Order = std::vector<StayId> (*)(const Problem&, PoolId);

/// Starts from an order and improves it by swaps.
class OrderClimb final : public Allocator {
 public:
  OrderClimb(Order order, const OrderSearchOptions& options) : order_(order), options_(options) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    if (const auto pinned = placePins(problem, plan); !pinned) {
      return tl::unexpected(pinned.error());
    }
    bool optimal = true;
    OrderSearchOptions options = options_;
    options.seed = context.seed;
    options.stopped = [&] { return context.stop.stop_requested(); };
    if (context.timeLimit > 0) options.seconds = context.timeLimit;
    for (const PoolId pool : problem.pools.keys()) {
      const auto found = searchOrders(problem, pool, order_(problem, pool), options);
      for (const StayId id : problem.stays.keys()) {
        if (problem.poolOf(id) != pool) continue;
        plan.addresses[id] = Address{pool, RegionId(0), found.offsets[id]};
      }
      if (found.peak == Bytes()) continue;
      optimal &= found.peak == lowerBound(problem, pool);
      plan.notes.push_back(fmt::format("{}: first order {} bytes, best of {} tries {} bytes",
                                       problem.pools[pool].name, found.start.count(), found.tries,
                                       found.peak.count()));
    }
    plan.status = optimal ? PlanStatus::optimal : PlanStatus::complete;
    return plan;
  }

  Order order_;
  OrderSearchOptions options_;
};

}  // namespace

std::span<const ParamSpec> orderClimbParams() { return kParams; }

std::unique_ptr<Allocator> makeHillClimb(const Params& params) {
  return std::make_unique<OrderClimb>(urgencyOrder,
                                      OrderSearchOptions{.rule = FitRule::first,
                                                         .tries = params.integer(kTries),
                                                         .stuck = params.integer(kStuck),
                                                         .seconds = params.number(kSeconds)});
}

std::unique_ptr<Allocator> makeAnnealedStack(const Params& params) {
  return std::make_unique<OrderClimb>(sizeOrder,
                                      OrderSearchOptions{.rule = FitRule::stacked,
                                                         .tries = params.integer(kTries),
                                                         .stuck = params.integer(kStuck),
                                                         .seconds = params.number(kSeconds),
                                                         .anneal = true});
}

}  // namespace hw
