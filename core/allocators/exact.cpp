#include "core/solver/exact/exact.h"

#include <fmt/format.h>

#include "core/allocators/allocators.h"
#include "core/allocators/best.h"
#include "core/allocators/constrained.h"
#include "core/allocators/offline.h"
#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/solver/exact/conflict.h"

namespace hw {
namespace {

constexpr ParamSpec kCapacity{.name = "capacity",
                              .type = ParamType::size,
                              .summary =
                                  "asks whether the first pool's stays fit into this much; 0: into "
                                  "the pool, or as little as possible where it is unbounded",
                              .fallback = "0"};
constexpr ParamSpec kNodes{.name = "nodes",
                           .type = ParamType::integer,
                           .summary = "placements looked at, at most; 0: no limit",
                           .fallback = "0",
                           .label = "exact search",
                           .unit = "placements"};
constexpr ParamSpec kSeconds = secondsParam("10");
constexpr ParamSpec kConflict{.name = "conflict",
                              .type = ParamType::flag,
                              .summary = "names a smallest set of stays that cannot all be kept",
                              .fallback = "false"};
constexpr ParamSpec kParams[] = {kCapacity, kNodes, kSeconds, kConflict};

struct Settings {
  Bytes capacity{};
  SearchBudget budget{};
  bool conflict = false;
};

std::string noteOf(const ExactResult& found, const std::string& pool) {
  const auto facts =
      fmt::format("{} bytes by '{}' after {} nodes", groupDigits(found.incumbent.count()),
                  found.winner, groupDigits(found.nodes));
  switch (found.status) {
    case ExactStatus::optimal:
      return fmt::format("{}: {}, proved optimal", pool, facts);
    case ExactStatus::fits:
      return fmt::format("{}: {}, which fits; no plan is below {}", pool, facts,
                         groupDigits(found.bound.count()));
    case ExactStatus::infeasible:
      return fmt::format("{}: proved: no plan is below {} bytes; the best one found needs {}", pool,
                         groupDigits(found.bound.count()), facts);
    case ExactStatus::stopped:
      break;
  }
  const ExactProgress& last = found.history.back();
  return fmt::format("{}: {}, stopped; no plan is below {}, {:.2f} % less", pool, facts,
                     groupDigits(last.bound.count()), 100 * last.gap() / (1 + last.gap()));
}

/// The plan of `best` by default: with as much time, `exact` is never above it.
std::optional<QuickPlan> planOfBest(const Problem& problem, PoolId pool, const PlanContext& context,
                                    double seconds) {
  PlanContext quiet = context;  // The search that asks tells its own progress.
  quiet.progress = {};
  SearchBudget budget = bestBudget({});
  budget.seconds = seconds;
  PoolSearch search(problem, pool, quiet, budget);
  if (search.empty() || !search.runOnce()) return std::nullopt;
  return QuickPlan{search.offsets(), "best"};
}

class Exact final : public Allocator {
 public:
  explicit Exact(const Settings& settings) : settings_(settings) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    Plan plan;
    HW_DO(placePins(problem, plan));
    PlanStatus status = PlanStatus::optimal;
    for (const PoolId pool : problem.pools.keys()) {
      const ExactResult found = solveExact(problem, pool, optionsFor(problem, pool, context));
      if (found.offsets.empty() && !problem.stays.empty()) {
        return fail(ErrorCode::stopped, "planning was stopped");
      }
      if (context.use) context.use->nodes += found.nodes;
      const bool any = place(problem, pool, found, plan);
      if (!any) continue;
      status = worse(status, isQuestion(problem, pool) ? answered(found.status) : found.status);
      plan.notes.push_back(noteOf(found, problem.pools[pool].name));
      plan.tables.push_back(progressTable(found.history, problem.pools[pool].name));
      const bool apart = problem.overlaps.empty();
      if (settings_.conflict && apart && found.status == ExactStatus::infeasible) {
        nameConflict(problem, pool, context, plan);
      }
    }
    plan.status = status;
    return plan;
  }

  Result<Plan> solveConstrained(const Problem& problem, const PlanContext& context) const override {
    Problem asked = problem;
    if (settings_.capacity > Bytes()) asked.pools[PoolId(0)].capacity = settings_.capacity;
    SearchBudget budget = settings_.budget;
    budget.moves = budget.nodes > 0 ? budget.nodes : bestBudget({}).moves;
    HW_TRY(plan, searchConstrained(asked, context, {.budget = budget}));
    // That the answer is no is told in its notes: the pool may have more.
    const bool fewer = isQuestion(problem, PoolId(0));
    if (fewer && plan.status == PlanStatus::infeasible) plan.status = PlanStatus::complete;
    return std::move(plan);
  }

  /// Gives the stays of `pool` their addresses. When they are proved not to fit into the capacity
  /// asked for, those that end beyond it have none. False when there are no stays.
  bool place(const Problem& problem, PoolId pool, const ExactResult& found, Plan& plan) const {
    const bool asked = pool == PoolId(0) && settings_.capacity > Bytes();
    bool any = false;
    for (const StayId id : problem.stays.keys()) {
      if (problem.poolOf(id) != pool) continue;
      any = true;
      const bool beyond = found.offsets[id] + problem.stays[id].size > settings_.capacity;
      plan.addresses[id] = Address{pool, RegionId(0), found.offsets[id]};
      if (asked && beyond && found.status == ExactStatus::infeasible) plan.addresses[id].reset();
    }
    return any;
  }

  /// Writes down which stays do not fit together.
  void nameConflict(const Problem& problem, PoolId pool, const PlanContext& context,
                    Plan& plan) const {
    const ExactOptions options = optionsFor(problem, pool, context);
    const Conflict conflict = findConflict(problem, pool, options);
    const std::string& name = problem.pools[pool].name;
    MethodTable table{.name = "conflict " + name,
                      .summary = "stays that cannot all be kept within the capacity",
                      .columns = {"tensor", "bytes", "first step", "last step"}};
    Bytes sum;
    for (const StayId id : conflict.stays) {
      const Stay& stay = problem.stays[id];
      sum += stay.size;
      addRow(table, {id, stay.size, stay.steps.begin.count(), stay.steps.end.count() - 1});
    }
    plan.notes.push_back(fmt::format(
        "{}: {} of the stays, {} bytes in all, cannot be kept together in {} bytes{}; the table "
        "'{}' names them",
        name, conflict.stays.size(), groupDigits(sum.count()),
        groupDigits(options.capacity->count()),
        conflict.minimal ? "; without any one of them the others can" : "", table.name));
    plan.tables.push_back(std::move(table));
  }

  ExactOptions optionsFor(const Problem& problem, PoolId pool, const PlanContext& context) const {
    const SearchBudget left = settings_.budget.leftIn(context);
    const bool counted = settings_.budget.nodes > 0;
    ExactOptions options{.capacity = problem.pools[pool].capacity,
                         .nodes = counted ? std::max<std::int64_t>(1, left.nodes) : 0,
                         .seconds = left.seconds,
                         .threads = context.threads,
                         .stop = context.stop};
    if (pool == PoolId(0) && settings_.capacity > Bytes()) options.capacity = settings_.capacity;
    if (!counted) {
      options.otherwise = [&context](const Problem& asked, PoolId of, double seconds) {
        return planOfBest(asked, of, context, seconds);
      };
    }
    options.progress = [&context, &name = problem.pools[pool].name](const ExactProgress& now) {
      tellProgress(context, name, now);
    };
    return options;
  }

  /// True if the option asks for less than the pool has: a plan that misses it may still fit.
  bool isQuestion(const Problem& problem, PoolId pool) const {
    const auto& capacity = problem.pools[pool].capacity;
    return pool == PoolId(0) && settings_.capacity > Bytes() &&
           (!capacity || settings_.capacity < *capacity);
  }
  static ExactStatus answered(ExactStatus status) {
    return status == ExactStatus::infeasible ? ExactStatus::fits : status;
  }

  /// The status of several pools together.
  static PlanStatus worse(PlanStatus status, ExactStatus found) {
    if (status == PlanStatus::infeasible || found == ExactStatus::infeasible) {
      return PlanStatus::infeasible;
    }
    if (status == PlanStatus::stopped || found == ExactStatus::stopped) return PlanStatus::stopped;
    return found == ExactStatus::fits ? PlanStatus::complete : status;
  }

  Settings settings_;
};

}  // namespace

std::span<const ParamSpec> exactParams() { return kParams; }

std::unique_ptr<Allocator> makeExact(const Params& params) {
  return std::make_unique<Exact>(
      Settings{.capacity = params.size(kCapacity),
               .budget = {.nodes = params.integer(kNodes), .seconds = params.number(kSeconds)},
               .conflict = params.flag(kConflict)});
}

}  // namespace hw
