#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/allocators/best_search.h"
#include "core/allocators/pins.h"
#include "core/allocators/search_report.h"
#include "core/solver/placer.h"

namespace hw {
namespace {

constexpr ParamSpec kMoves{.name = "moves",
                           .type = ParamType::integer,
                           .summary = "skyline placements at most after the first packing",
                           .fallback = "1000000",
                           .label = "quick search",
                           .unit = "placements"};
constexpr ParamSpec kNodes{.name = "nodes",
                           .type = ParamType::integer,
                           .summary = "placements the exact search looks at, at most; 0: none",
                           .fallback = "100000",
                           .label = "exact search",
                           .unit = "placements"};
constexpr ParamSpec kSeconds{.name = "seconds",
                             .type = ParamType::number,
                             .summary =
                                 "go on for this long; 0: by moves and nodes alone, so that "
                                 "runs repeat",
                             .fallback = "0",
                             .label = "time for searching",
                             .unit = "s"};
constexpr std::string_view kAims[] = {"peak", "latency"};
constexpr ParamSpec kFor{.name = "for",
                         .type = ParamType::choice,
                         .summary =
                             "the lowest plan, or the one with the least simulated latency "
                             "within the capacity",
                         .fallback = "peak",
                         .choices = kAims};
constexpr ParamSpec kParams[] = {kMoves, kNodes, kSeconds, kFor};

/// Share of the seconds for finding the lowest plan, where the search for the fastest starts.
constexpr double kLowestShare = 0.2;

class Best final : public Allocator {
 public:
  Best(const BestBudget& budget, bool fastest) : budget_(budget), fastest_(fastest) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    if (!fastest_) return lowest(problem, context, 1);
    // This search runs once, on a plan that fits: its budget is not shared with other plannings.
    const HasteLimits limits{
        .looks = std::min(budget_.nodes, context.nodeBudget) * kLooksOfANode,
        .seconds =
            (1 - kLowestShare) * (context.timeLimit > 0 ? context.timeLimit : budget_.seconds)};
    HW_TRY(plan, lowest(problem, context, kLowestShare));
    if (context.hasten) {
      context.hasten(problem, context, limits, plan);
    } else {
      plan.notes.emplace_back(
          "how long a plan takes is known for the operators of a graph on one device only: this "
          "is the lowest plan");
    }
    return plan;
  }

  /// Takes `share` of the seconds.
  Result<Plan> lowest(const Problem& problem, const PlanContext& context, double share) const {
    Plan plan;
    HW_DO(placePins(problem, plan));
    plan.status = PlanStatus::optimal;
    for (const PoolId pool : problem.pools.keys()) {
      BestBudget budget = budgetFor(context);
      budget.seconds *= share;
      PoolSearch search(problem, pool, context, budget);
      if (search.empty()) continue;
      if (!search.run()) return fail(ErrorCode::stopped, "planning was stopped");
      if (context.use) search.addUse(*context.use);
      search.write(plan);
      const PlanStatus status = search.status();
      if (status == PlanStatus::infeasible) plan.status = status;
      if (status == PlanStatus::complete && plan.status == PlanStatus::optimal) {
        plan.status = status;
      }
    }
    return plan;
  }

  /// Where greedy placement won, it is followed again; other searches tell of the whole packing.
  std::optional<Decision> recount(const Problem& problem, const Plan& plan,
                                  StayId stay) const override {
    if (auto fast = hasteDecision(problem, plan, stay)) return fast;
    auto decision = searchDecision(problem, plan, stay);
    if (!decision) return decision;
    const PoolId pool = problem.poolOf(stay);
    for (const NamedOrder& each : kOrders) {
      const std::string winner = fmt::format("'greedy, {}'", each.name);
      if (decision->when.find(winner) == std::string::npos) continue;
      for (const FitRule rule : {FitRule::best, FitRule::first}) {
        Placer placer(problem, pool);
        auto greedy =
            decideInOrder(placer, problem, each.order(problem, pool), {rule, each.name}, stay);
        const Candidate* chosen = greedy ? greedy->chosen() : nullptr;
        if (!chosen || chosen->address != plan.addresses[stay]) continue;
        greedy->when += "; " + decision->when;
        return greedy;
      }
    }
    return decision;
  }

  BestBudget budgetFor(const PlanContext& context) const {
    BestBudget budget = budget_;
    // A context may allow less than usual; more than usual is for the options to say.
    if (context.nodeBudget < PlanContext().nodeBudget) {
      budget.moves = std::min(budget.moves, context.nodeBudget);
      budget.nodes = std::min(budget.nodes, context.nodeBudget);
    }
    if (context.timeLimit > 0) budget.seconds = context.timeLimit;
    if (SearchUse* use = context.use) {
      budget.moves = use->most(use->tries, budget.moves) - use->tries;
      budget.nodes = use->most(use->nodes, budget.nodes) - use->nodes;
      budget.seconds = use->seconds(budget.seconds, context.clock);
    }
    return budget;
  }

  BestBudget budget_;
  bool fastest_;
};

}  // namespace

std::span<const ParamSpec> bestParams() { return kParams; }

std::unique_ptr<Allocator> makeBest(const Params& params) {
  const BestBudget budget{.moves = params.integer(kMoves),
                          .nodes = params.integer(kNodes),
                          .seconds = params.number(kSeconds)};
  return std::make_unique<Best>(budget, params.text(kFor) == "latency");
}

}  // namespace hw
