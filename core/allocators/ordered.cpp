#include "core/allocators/allocators.h"
#include "core/allocators/constrained.h"
#include "core/allocators/offline.h"
#include "core/plan/metrics.h"
#include "core/solver/order_record.h"
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

constexpr ParamSpec kGreedyFit{.name = "fit",
                               .type = ParamType::choice,
                               .summary =
                                   "the tightest gap (TensorFlow Lite) or the lowest that is large "
                                   "enough (TensorFlow Lite Micro)",
                               .fallback = "best",
                               .choices = kFits};
constexpr ParamSpec kGreedyParams[] = {kGreedyFit};

constexpr std::string_view kStackOrders[] = {"size", "conflicts"};
constexpr ParamSpec kStackOrder{.name = "order",
                                .type = ParamType::choice,
                                .summary = "largest first, or most conflicts first",
                                .fallback = "size",
                                .choices = kStackOrders};
constexpr ParamSpec kStackParams[] = {kStackOrder};

using Order = std::vector<StayId> (*)(const Problem&, PoolId);

/// Whole-run stays first, then by size, then by id.
std::vector<StayId> wholeRunFirst(const Problem& problem, PoolId pool) {
  std::vector<StayId> stays = sizeOrder(problem, pool);
  std::stable_partition(stays.begin(), stays.end(), [&](StayId id) {
    return problem.stays[id].steps == Interval<Step>{Step(0), problem.steps};
  });
  return stays;
}

/// One order, one rule.
class Ordered final : public Allocator {
 public:
  Ordered(Order order, const OrderRule& rule, std::string_view record = "in order")
      : order_(order), rule_(rule), record_(record) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    HW_TRY(plan, planByPool(problem, [&](Placer& placer, PoolId pool) {
             return placeInOrder(placer, problem, order_(problem, pool), rule_.fit,
                                 [&] { return context.stop.stop_requested(); });
           }));
    if (context.record) {
      recordOrders(
          std::string(record_), problem, plan, [&](PoolId pool) { return order_(problem, pool); },
          rule_);
    }
    return std::move(plan);
  }

  Result<Plan> solveConstrained(const Problem& problem, const PlanContext&) const override {
    return placeConstrained(problem, rule_.fit,
                            {[&](PoolId pool) { return order_(problem, pool); }});
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    Placer placer(problem, pool);
    return decideInOrder(placer, problem, order_(problem, pool), rule_, stay);
  }

  Order order_;
  OrderRule rule_;
  std::string_view record_;  ///< Its name.
};

/// Several orders by best fit; keeps the one with the smallest peak, the first of equals.
class BestOfOrders final : public Allocator {
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    const auto stopped = [&] { return context.stop.stop_requested(); };
    std::vector<MethodRecord> records;
    HW_TRY(
        plan, planByPool(problem, [&](Placer& placer, PoolId pool) {
          std::vector<Bytes> offsets;
          const NamedOrder* best = bestOrder(placer, problem, pool, stopped, offsets);
          if (best == nullptr) return false;
          if (context.record && !offsets.empty()) {
            records.push_back(orderRecord("size-length", problem, pool, best->make(problem, pool),
                                          {FitRule::best, best->name}));
          }
          placer.clear();
          for (std::size_t i = 0; i < offsets.size(); ++i)
            placer.fix(placer.stays()[i], offsets[i]);
          return true;
        }));
    plan.records = std::move(records);
    return std::move(plan);
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    Placer placer(problem, pool);
    std::vector<Bytes> offsets;
    const NamedOrder* best = bestOrder(
        placer, problem, pool, [] { return false; }, offsets);
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
  static constexpr NamedOrder kOrders[] = {{sizeLengthOrder, "largest first, then longest"},
                                           {lengthSizeOrder, "longest first, then largest"},
                                           {areaOrder, "largest size x steps first"}};
  using Stopped = std::function<bool()>;

  Result<Plan> solveConstrained(const Problem& problem, const PlanContext&) const override {
    std::vector<StayOrder> orders;
    for (const NamedOrder& order : kOrders) {
      orders.emplace_back([&](PoolId pool) { return order.make(problem, pool); });
    }
    return placeConstrained(problem, FitRule::best, orders);
  }

  /// True if `order` stays below `least`; it is given up as soon as it does not. Nothing when
  /// stopped.
  static std::optional<bool> placeBelow(Placer& placer, const Problem& problem,
                                        const std::vector<StayId>& order,
                                        std::optional<Bytes> least, const Stopped& stopped) {
    placer.clear();
    for (const StayId id : placer.stays()) {
      if (problem.stays[id].pinned) placer.fix(id, *problem.stays[id].pinned);
    }
    std::size_t done = 0;
    for (const StayId id : order) {
      if (problem.stays[id].pinned) continue;
      if (++done % kPlacementsBetweenLooks == 0 && stopped()) return std::nullopt;
      placer.place(id, FitRule::best);
      if (least && placer.peak() >= *least) return false;
    }
    return true;
  }

  /// The order with the smallest peak, the first of equals, and where it puts the placer's stays.
  /// Null when stopped.
  static const NamedOrder* bestOrder(Placer& placer, const Problem& problem, PoolId pool,
                                     const Stopped& stopped, std::vector<Bytes>& offsets) {
    const NamedOrder* best = nullptr;
    std::optional<Bytes> least;
    for (const NamedOrder& order : kOrders) {
      const auto better = placeBelow(placer, problem, order.make(problem, pool), least, stopped);
      if (!better) return nullptr;
      if (!*better) continue;
      least = placer.peak();
      best = &order;
      offsets.clear();
      for (const StayId id : placer.stays()) offsets.push_back(placer.offsetOf(id));
    }
    return best;
  }
};

}  // namespace

std::span<const ParamSpec> greedyBySizeParams() { return kGreedyParams; }
std::span<const ParamSpec> fitParams() { return kFitParams; }
std::span<const ParamSpec> stackedParams() { return kStackParams; }

std::unique_ptr<Allocator> makeGreedyBySize(const Params& params) {
  const FitRule fit = params.text(kGreedyFit) == "first" ? FitRule::first : FitRule::best;
  return std::make_unique<Ordered>(
      wholeRunFirst, OrderRule{fit, "whole-run tensors first, then the largest first"},
      "greedy-by-size");
}

std::unique_ptr<Allocator> makeInOrder(const Params& params) {
  const FitRule fit = params.text(kFit) == "first" ? FitRule::first : FitRule::best;
  return std::make_unique<Ordered>(productionOrder, OrderRule{fit, "as they are produced"});
}

std::unique_ptr<Allocator> makeGreedyByBreadth(const Params&) {
  return std::make_unique<Ordered>(
      breadthOrder, OrderRule{FitRule::best, "fullest steps first, largest first within a step"});
}

std::unique_ptr<Allocator> makeStacked(const Params& params) {
  if (params.text(kStackOrder) == "size") {
    return std::make_unique<Ordered>(sizeOrder, OrderRule{FitRule::stacked, "largest first"});
  }
  return std::make_unique<Ordered>(conflictOrder,
                                   OrderRule{FitRule::stacked, "most conflicts first"});
}

std::unique_ptr<Allocator> makeSizeLength(const Params&) {
  return std::make_unique<BestOfOrders>();
}

}  // namespace hw
