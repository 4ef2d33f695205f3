#include <algorithm>
#include <tuple>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/plan/metrics.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

constexpr std::string_view kFits[] = {"best", "first"};
constexpr ParamSpec kFit{.name = "fit",
                         .type = ParamType::choice,
                         .summary = "the tightest gap, or the lowest that is large enough",
                         .fallback = "best",
                         .choices = kFits};
constexpr ParamSpec kFitParams[] = {kFit};

constexpr std::string_view kStackOrders[] = {"size", "conflicts"};
constexpr ParamSpec kStackOrder{.name = "order",
                                .type = ParamType::choice,
                                .summary = "largest first, or most conflicts first",
                                .fallback = "size",
                                .choices = kStackOrders};
constexpr ParamSpec kStackParams[] = {kStackOrder};

using Order = std::vector<StayId> (*)(const Problem&, PoolId);

/// One order, one rule.
class Ordered final : public Allocator {
 public:
  Ordered(Order order, const OrderRule& rule) : order_(order), rule_(rule) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    return planByPool(problem, [&](Placer& placer, PoolId pool) {
      return placeInOrder(placer, problem, order_(problem, pool), rule_.fit,
                          [&] { return context.stop.stop_requested(); });
    });
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    Placer placer(problem, pool);
    return decideInOrder(placer, problem, order_(problem, pool), rule_, stay);
  }

  Order order_;
  OrderRule rule_;
};

/// Several orders by best fit; keeps the one with the smallest peak, the first of equals.
class BestOfOrders final : public Allocator {
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    const auto stopped = [&] { return context.stop.stop_requested(); };
    return planByPool(problem, [&](Placer& placer, PoolId pool) {
      const NamedOrder* best = bestOrder(placer, problem, pool, stopped);
      return best != nullptr && place(placer, problem, best->make(problem, pool), stopped);
    });
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    Placer placer(problem, pool);
    const NamedOrder* best = bestOrder(placer, problem, pool, [] { return false; });
    placer.clear();
    auto decision = decideInOrder(placer, problem, best->make(problem, pool),
                                  {FitRule::best, best->name}, stay);
    if (decision) decision->when += ": the order with the smallest peak of three";
    return decision;
  }

  struct NamedOrder {
    Order make;
    std::string_view name;
  };
  using Stopped = std::function<bool()>;

  static bool place(Placer& placer, const Problem& problem, const std::vector<StayId>& order,
                    const Stopped& stopped) {
    placer.clear();
    return placeInOrder(placer, problem, order, FitRule::best, stopped);
  }

  /// Null when stopped.
  static const NamedOrder* bestOrder(Placer& placer, const Problem& problem, PoolId pool,
                                     const Stopped& stopped) {
    static constexpr NamedOrder kOrders[] = {{sizeLengthOrder, "largest first, then longest"},
                                             {lengthSizeOrder, "longest first, then largest"},
                                             {areaOrder, "largest size x steps first"}};
    const NamedOrder* best = nullptr;
    Bytes least;
    for (const NamedOrder& order : kOrders) {
      if (!place(placer, problem, order.make(problem, pool), stopped)) return nullptr;
      if (best != nullptr && placer.peak() >= least) continue;
      least = placer.peak();
      best = &order;
    }
    return best;
  }
};

}  // namespace

std::span<const ParamSpec> fitParams() { return kFitParams; }
std::span<const ParamSpec> stackedParams() { return kStackParams; }

std::unique_ptr<Allocator> makeInOrder(const Params& params) {
  const FitRule fit = params.choice(kFit) == "first" ? FitRule::first : FitRule::best;
  return std::make_unique<Ordered>(productionOrder, OrderRule{fit, "as they are produced"});
}

std::unique_ptr<Allocator> makeGreedyByBreadth(const Params&) {
  return std::make_unique<Ordered>(
      breadthOrder, OrderRule{FitRule::best, "fullest steps first, largest first within a step"});
}

std::unique_ptr<Allocator> makeStacked(const Params& params) {
  if (params.choice(kStackOrder) == "size") {
    return std::make_unique<Ordered>(sizeOrder, OrderRule{FitRule::stacked, "largest first"});
  }
  return std::make_unique<Ordered>(conflictOrder,
                                   OrderRule{FitRule::stacked, "most conflicts first"});
}

std::unique_ptr<Allocator> makeSizeLength(const Params&) {
  return std::make_unique<BestOfOrders>();
}

}  // namespace hw
