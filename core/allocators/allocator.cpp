#include "core/allocators/allocator.h"

#include <algorithm>

#include "core/allocators/heap.h"
#include "core/base/check.h"
#include "core/plan/validate.h"

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
  auto decision = recount(problem, plan, stay);
  // A search that the clock ended may not come to the same end twice.
  const Candidate* chosen = decision ? decision->chosen() : nullptr;
  const bool agrees = decision && (chosen ? chosen->address == address : !address);
  if (!agrees) return judgeDecision(problem, plan, stay);
  decision->stay = stay;
  return std::move(*decision);
}

Result<Plan> Allocator::plan(const Problem& problem, const PlanContext& context) const {
  check(!problem.pools.empty(), "a problem with at least one pool");
  if (!commonAlignment(problem)) {
    return fail(ErrorCode::unsupported, "the alignments have no common multiple up to 1 TiB");
  }
  Result<Plan> solved = solve(problem, context);
  if (!solved) return solved;
  return finishPlan(problem, std::move(*solved), context.story);
}

}  // namespace hw
