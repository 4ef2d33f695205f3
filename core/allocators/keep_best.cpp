#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"

namespace hw {
namespace {

/// Runs several planners and keeps the plan with the smallest footprint over all pools, the first
/// of equals. ExecuTorch's way.
class KeepBest final : public Allocator {
  struct Entry {
    std::string_view name;
    std::unique_ptr<Allocator> (*make)(const Params&);
  };
  static constexpr Entry kEntries[] = {{"greedy-by-size", makeGreedyBySize},
                                       {"greedy-by-breadth", makeGreedyByBreadth},
                                       {"in-order", makeInOrder},
                                       {"size-length", makeSizeLength}};
  static constexpr std::string_view kTable = "planners";

  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    std::optional<Plan> best;
    std::string_view winner;
    MethodTable table{.name = std::string(kTable),
                      .summary = "the planners that were run and what each needs",
                      .columns = {"planner", "bytes", "kept"}};
    for (const Entry& entry : kEntries) {
      auto plan = entry.make({})->plan(problem, context);
      if (!plan) return plan;
      if (!best || total(problem, *plan) < total(problem, *best)) {
        best = *plan;
        winner = entry.name;
      }
      addRow(table, {std::string(entry.name), total(problem, *plan), std::string()});
    }
    for (auto& row : table.rows) row[2] = std::get<std::string>(row[0]) == winner ? "yes" : "no";
    best->notes.push_back(fmt::format("keep-best: the plan is that of {}", winner));
    best->tables.push_back(std::move(table));
    return std::move(*best);
  }

  Result<Plan> solveConstrained(const Problem& problem, const PlanContext& context) const override {
    return solve(problem, context);
  }

  /// The account of the planner whose plan was kept.
  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    const auto table = std::ranges::find(plan.tables, kTable, &MethodTable::name);
    if (table == plan.tables.end()) return std::nullopt;
    for (std::size_t i = 0; i < std::min(table->rows.size(), std::size(kEntries)); ++i) {
      if (table->rows[i].back() != MethodCell("yes")) continue;
      Decision decision = kEntries[i].make({})->explain(problem, plan, stay);
      decision.when += fmt::format("; by {}, whose plan was kept", kEntries[i].name);
      return decision;
    }
    return std::nullopt;
  }

  static Bytes total(const Problem& problem, const Plan& plan) {
    Bytes sum;
    for (const PoolId pool : problem.pools.keys()) sum += plan.footprint(pool);
    return sum;
  }
};

}  // namespace

std::unique_ptr<Allocator> makeKeepBest(const Params&) { return std::make_unique<KeepBest>(); }

}  // namespace hw
