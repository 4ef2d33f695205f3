#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/base/text.h"
#include "core/plan/metrics.h"
#include "core/solver/order_record.h"
#include "core/solver/order_search.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

constexpr ParamSpec kTries{.name = "tries",
                           .type = ParamType::integer,
                           .summary = "orders tried at most",
                           .fallback = "99999",
                           .label = "orders to try",
                           .unit = "orders"};
constexpr ParamSpec kStuck{.name = "stuck",
                           .type = ParamType::integer,
                           .summary = "tries since the last gain at most",
                           .fallback = "500",
                           .label = "give up after",
                           .unit = "orders"};
constexpr ParamSpec kSeconds = secondsParam("2");
constexpr ParamSpec kParams[] = {kTries, kStuck, kSeconds};

using Order = std::vector<StayId> (*)(const Problem&, PoolId);

/// Starts from an order and improves it by swaps.
class OrderClimb final : public Allocator {
 public:
  OrderClimb(Order order, double seconds, const OrderSearchOptions& options)
      : order_(order), seconds_(seconds), options_(options) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    HW_DO(placePins(problem, plan));
    bool optimal = true;
    OrderSearchOptions options = options_;
    options.seed = context.seed;
    options.stopped = [&] { return context.stop.stop_requested(); };
    SearchUse own;
    SearchUse& use = context.use ? *context.use : own;
    options.clock = context.clock;
    const double seconds = context.timeLimit > 0 ? context.timeLimit : seconds_;
    for (const PoolId pool : problem.pools.keys()) {
      options.deadline = use.deadline(seconds, context.clock);
      options.tries = use.most(use.tries, options_.tries) - use.tries;
      const auto found = searchOrders(problem, pool, order_(problem, pool), options);
      if (found.stopped && found.offsets.empty()) {
        return fail(ErrorCode::stopped, "planning was stopped");
      }
      use.tries += found.tries;
      for (const StayId id : problem.stays.keys()) {
        if (problem.poolOf(id) != pool) continue;
        plan.addresses[id] = Address{pool, RegionId(0), found.offsets[id]};
      }
      if (found.peak == Bytes()) continue;
      plan.tables.push_back(orderTable(problem, pool, found));
      if (context.record) {
        plan.records.push_back(orderRecord("best order", problem, pool, found.order,
                                           {options_.rule, "in the best order of the search"}));
      }
      optimal &= found.peak == lowerBound(problem, pool);
      plan.notes.push_back(fmt::format("{}: first order {} bytes, best of {} tries {} bytes",
                                       problem.pools[pool].name, groupDigits(found.start.count()),
                                       groupDigits(found.tries), groupDigits(found.peak.count())));
    }
    plan.status = optimal ? PlanStatus::optimal : PlanStatus::complete;
    return plan;
  }

  static std::string tableName(const Problem& problem, PoolId pool) {
    return "order " + problem.pools[pool].name;
  }

  static MethodTable orderTable(const Problem& problem, PoolId pool,
                                const OrderSearchResult& found) {
    MethodTable table{.name = tableName(problem, pool),
                      .summary = "the best order found: who was placed when, and where",
                      .columns = {"turn", "tensor", "bytes", "offset"}};
    std::int64_t turn = 0;
    for (const StayId id : found.order) {
      addRow(table, {++turn, id, problem.stays[id].size, found.offsets[id]});
    }
    return table;
  }

  /// The search is not run again: its best order stands in the plan.
  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    const auto table = std::ranges::find(plan.tables, tableName(problem, pool), &MethodTable::name);
    if (table == plan.tables.end() || table->truncated) return std::nullopt;
    std::vector<StayId> order;
    for (const auto& row : table->rows) {
      const auto* id = row.size() > 1 ? std::get_if<StayId>(&row[1]) : nullptr;
      if (id == nullptr) return std::nullopt;
      order.push_back(*id);
    }
    Placer placer(problem, pool);
    return decideInOrder(placer, problem, order,
                         {options_.rule, "in the best order that the search found"}, stay);
  }

  Order order_;
  double seconds_;  ///< 0: no limit.
  OrderSearchOptions options_;
};

}  // namespace

std::span<const ParamSpec> orderClimbParams() { return kParams; }

std::unique_ptr<Allocator> makeHillClimb(const Params& params) {
  return std::make_unique<OrderClimb>(urgencyOrder, params.number(kSeconds),
                                      OrderSearchOptions{.rule = FitRule::first,
                                                         .tries = params.integer(kTries),
                                                         .stuck = params.integer(kStuck)});
}

std::unique_ptr<Allocator> makeAnnealedStack(const Params& params) {
  return std::make_unique<OrderClimb>(sizeOrder, params.number(kSeconds),
                                      OrderSearchOptions{.rule = FitRule::stacked,
                                                         .tries = params.integer(kTries),
                                                         .stuck = params.integer(kStuck),
                                                         .anneal = true});
}

}  // namespace hw
