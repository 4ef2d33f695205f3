#include "core/allocators/allocator.h"

#include <algorithm>

#include "core/allocators/heap.h"
#include "core/allocators/offline.h"
#include "core/allocators/search_report.h"
#include "core/base/check.h"
#include "core/plan/constraint_use.h"
#include "core/plan/overlap_use.h"
#include "core/plan/pair_blocks.h"
#include "core/plan/validate.h"
#include "core/solver/order_record.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

/// Makes every region as large as what was placed in it, and no larger; several regions of a pool
/// are rounded up so that each starts aligned when they are laid side by side.
void fitRegions(const Problem& problem, Bytes alignment, Plan& plan) {
  plan.regions = IdMap<PoolId, IdMap<RegionId, Bytes>>(problem.pools.size());
  for (const StayId id : problem.stays.keys()) {
    const auto& address = plan.addresses[id];
    if (!address) continue;
    auto& regions = plan.regions[address->pool];
    if (!regions.contains(address->region)) regions.resize(address->region.index() + 1);
    Bytes& size = regions[address->region];
    size = std::max(size, address->offset + problem.stays[id].size);
  }
  for (auto& regions : plan.regions) {
    if (regions.size() < 2) continue;
    for (Bytes& size : regions) size = alignUp(size, alignment);
  }
}

/// Of a method that tells nothing of itself, such as a plug-in: what it put where, as if it had
/// gone from the first step to the last.
void tellResult(const Problem& problem, Plan& plan) {
  for (const PoolId pool : problem.pools.keys()) {
    std::vector<StayId> order = productionOrder(problem, pool);
    std::erase_if(order, [&](StayId id) { return !plan.addresses[id]; });
    if (order.empty()) continue;
    plan.records.push_back(
        placingRecord("result", problem, pool, order, "as they are produced", [&](StayId id) {
          return DecidedPlace{*plan.flatOffset(id), {.decided = "so the method says"}};
        }));
  }
}

/// `problem` without the capacities that pins exceed: what is pinned stays where it is, and the
/// plan does not fit. Nothing where all pins are within them.
std::optional<Problem> withRoomForPins(const Problem& problem) {
  std::optional<Problem> roomy;
  for (const PoolId pool : problem.pools.keys()) {
    if (pinsFit(problem, pool)) continue;
    if (!roomy) roomy = problem;
    roomy->pools[pool].capacity.reset();
  }
  return roomy;
}

/// The first constraint that a plan made of lives alone could break, in words; empty: there is
/// none.
std::string ruleBeyondLives(const Problem& problem) {
  const Constraints& rules = problem.constraints;
  if (!rules.apart.empty()) return "buffers that have to be apart";
  if (!rules.together.empty()) return "buffers that have to be together";
  for (const ProblemPool& pool : problem.pools) {
    if (!pool.reserved.empty()) return "reserved ranges of bytes";
  }
  return {};
}

}  // namespace

Plan finishPlan(const Problem& problem, Plan plan, bool story) {
  check(plan.addresses.size() == problem.stays.size(), "an address slot for every stay");
  const auto alignment = commonAlignment(problem);
  check(alignment.has_value(), "alignments that have a common multiple");
  fitRegions(problem, *alignment, plan);
  const bool claimsToFit =
      plan.status == PlanStatus::complete || plan.status == PlanStatus::optimal;
  if (claimsToFit && !fits(problem, plan)) plan.status = PlanStatus::overBudget;
  if (story && plan.story.empty()) plan.story = narrate(problem, plan);
  const std::vector<Violation> violations = validate(problem, plan, 1);
  check(violations.empty(), violations.empty() ? "" : "a valid plan: " + violations[0].message);
  return plan;
}

Decision Allocator::explain(const Problem& problem, const Plan& plan, StayId stay) const {
  const auto& address = plan.addresses[stay];
  if (!address && (!plan.outOfMemory || plan.outOfMemory->stay != stay)) {
    return judgeDecision(problem, plan, stay);
  }
  if (problem.stays[stay].pinned) {
    Decision pinned{.stay = stay, .decided = "the problem fixes its offset: it is pinned"};
    addCandidate(pinned, {.kind = "pin", .address = address, .reason = "asked for"});
    return pinned;
  }
  if (isConstrained(problem)) return judgeDecision(problem, plan, stay);
  auto decision = recount(problem, plan, stay);
  // A search that a time limit ended may lead elsewhere when it is followed again: then the
  // finished plan is judged instead.
  const Candidate* chosen = decision ? decision->chosen() : nullptr;
  const bool agrees = decision && (chosen ? chosen->address == address : !address);
  if (!agrees) return judgeDecision(problem, plan, stay);
  decision->stay = stay;
  if (const std::string shared = overlapText(problem, plan, stay); !shared.empty()) {
    decision->decided += "; " + shared;
  }
  return std::move(*decision);
}

Result<Plan> Allocator::solveConstrained(const Problem& problem, const PlanContext& context) const {
  const std::string rule = ruleBeyondLives(problem);
  if (rule.empty()) return solve(problem, context);
  return fail(ErrorCode::unsupported,
              "this method looks at lives alone, and the problem has " + rule +
                  "; best, exact, fast, keep-best and the greedy methods heed them");
}

Result<Plan> Allocator::plan(const Problem& problem, const PlanContext& context) const {
  check(!problem.pools.empty(), "a problem with at least one pool");
  if (!commonAlignment(problem)) {
    return fail(ErrorCode::unsupported, "the alignments have no common multiple up to 1 TiB");
  }
  const auto roomy = withRoomForPins(problem);
  const Problem& asked = roomy ? *roomy : problem;
  Result<Plan> solved =
      isConstrained(asked) ? solveConstrained(withPools(asked), context) : solve(asked, context);
  if (!solved) return solved;
  if (context.record && solved->records.empty()) solved->records = searchRecords(*solved);
  Plan plan = finishPlan(problem, std::move(*solved), context.story);
  if (context.record && plan.records.empty()) tellResult(problem, plan);
  return plan;
}

}  // namespace hw
