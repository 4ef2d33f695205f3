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
  Ordered(Order order, FitRule rule) : order_(order), rule_(rule) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    return planByPool(problem, [&](Placer& placer, PoolId pool) {
      return placeInOrder(placer, problem, order_(problem, pool), rule_,
                          [&] { return context.stop.stop_requested(); });
    });
  }

  Order order_;
  FitRule rule_;
};

/// Several orders by best fit; keeps the one with the smallest peak, the first of equals.
class BestOfOrders final : public Allocator {
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    return planByPool(problem, [&](Placer& placer, PoolId pool) {
      constexpr Order kOrders[] = {sizeLengthOrder, lengthSizeOrder, areaOrder};
      const auto place = [&](Order order) {
        placer.clear();
        return placeInOrder(placer, problem, order(problem, pool), FitRule::best,
                            [&] { return context.stop.stop_requested(); });
      };
      Order best = kOrders[0];
      std::optional<Bytes> least;
      for (const Order order : kOrders) {
        if (!place(order)) return false;
        if (!least || placer.peak() < *least) {
          least = placer.peak();
          best = order;
        }
      }
      return place(best);
    });
  }
};

}  // namespace

std::span<const ParamSpec> fitParams() { return kFitParams; }
std::span<const ParamSpec> stackedParams() { return kStackParams; }

std::unique_ptr<Allocator> makeInOrder(const Params& params) {
  return std::make_unique<Ordered>(productionOrder,
                                   params.choice(kFit) == "first" ? FitRule::first : FitRule::best);
}

std::unique_ptr<Allocator> makeGreedyByBreadth(const Params&) {
  return std::make_unique<Ordered>(breadthOrder, FitRule::best);
}

std::unique_ptr<Allocator> makeStacked(const Params& params) {
  return std::make_unique<Ordered>(params.choice(kStackOrder) == "size" ? sizeOrder : conflictOrder,
                                   FitRule::stacked);
}

std::unique_ptr<Allocator> makeSizeLength(const Params&) {
  return std::make_unique<BestOfOrders>();
}

}  // namespace hw
