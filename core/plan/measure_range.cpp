#include "core/plan/measure_range.h"

#include <algorithm>

namespace hw {
namespace {

Interval<Step> clipped(Interval<Step> steps, Interval<Step> range) {
  return {std::max(steps.begin, range.begin), std::min(steps.end, range.end)};
}

bool livesIn(const Problem& problem, StayId stay, Interval<Step> range) {
  if (clipped(problem.stays[stay].steps, range).empty()) return false;
  return std::ranges::any_of(problem.liveSteps(stay), [&](const Interval<Step>& live) {
    return !clipped(live, range).empty();
  });
}

/// The constraints of the stays that are kept; groups that fall below two are none.
Constraints cutTo(const IdMap<StayId, StayId>& kept, const Constraints& whole) {
  Constraints part{.virtualTime = whole.virtualTime};
  const auto pairOf = [&](const StayPair& pair) { return StayPair{kept[pair.a], kept[pair.b]}; };
  const auto isWhole = [&](const StayPair& pair) { return kept[pair.a] && kept[pair.b]; };
  for (const StayPair& pair : whole.apart) {
    if (isWhole(pair)) part.apart.push_back(pairOf(pair));
  }
  for (const StayPair& pair : whole.exclusive) {
    if (isWhole(pair)) part.exclusive.push_back(pairOf(pair));
  }
  for (const ReusePenalty& penalty : whole.penalties) {
    if (isWhole(penalty.pair)) part.penalties.push_back({pairOf(penalty.pair), penalty.cost});
  }
  for (const std::vector<StayId>& group : whole.together) {
    std::vector<StayId> left;
    for (const StayId id : group) {
      if (kept[id]) left.push_back(kept[id]);
    }
    if (left.size() > 1) part.together.push_back(std::move(left));
  }
  for (const StayId id : whole.allowed.keys()) {
    if (kept[id]) part.allowed.add(whole.allowed[id]);
  }
  return part;
}

}  // namespace

RangePart cutToRange(const Problem& problem, const Plan& plan, Interval<Step> range) {
  RangePart part;
  part.problem.pools = problem.pools;
  part.problem.steps = range.end;
  part.plan.status = plan.status;
  part.plan.regions = plan.regions;
  IdMap<StayId, StayId> kept(problem.stays.size());
  for (const StayId stay : problem.stays.keys()) {
    if (!livesIn(problem, stay, range)) continue;
    Stay cut = problem.stays[stay];
    cut.steps = clipped(cut.steps, range);
    kept[stay] = part.problem.stays.add(cut);
    part.whole.add(stay);
    part.plan.addresses.add(plan.addresses.contains(stay) ? plan.addresses[stay] : std::nullopt);
  }
  part.plan.regionsAreBlocks = plan.regionsAreBlocks;
  for (HeldBlock block : plan.blocks) {
    block.steps = clipped(block.steps, range);
    if (block.steps.empty()) continue;
    std::erase_if(block.tenants, [&](StayId tenant) { return !kept[tenant]; });
    for (StayId& tenant : block.tenants) tenant = kept[tenant];
    part.plan.blocks.push_back(std::move(block));
  }
  for (const Gap& gap : problem.gaps) {
    const Interval<Step> steps = clipped(gap.steps, range);
    if (kept[gap.stay] && !steps.empty()) part.problem.gaps.push_back({kept[gap.stay], steps});
  }
  for (const Overlay& overlay : problem.overlays) {
    const bool whole = kept[overlay.over] && kept[overlay.stay];
    // Written over its input before the range: inside it there is nothing left to share.
    if (!whole || problem.stays[overlay.stay].steps.begin < range.begin) continue;
    part.problem.overlays.push_back({kept[overlay.over], kept[overlay.stay]});
  }
  for (const Overlap& overlap : problem.overlaps) {
    const bool whole = kept[overlap.over] && kept[overlap.under];
    if (!whole || problem.shared(overlap).end <= range.begin) continue;
    Overlap& inside = part.problem.overlaps.emplace_back(overlap);
    inside.under = kept[overlap.under];
    inside.over = kept[overlap.over];
  }
  part.problem.constraints = cutTo(kept, problem.constraints);
  return part;
}

PlanMetrics measureRange(const Problem& problem, const Plan& plan, Interval<Step> range) {
  const RangePart part = cutToRange(problem, plan, range);
  PlanMetrics metrics = measure(part.problem, part.plan);
  for (PoolMetrics& pool : metrics.pools) pool.peak = pool.atTop.top;
  return metrics;
}

}  // namespace hw
