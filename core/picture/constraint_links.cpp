#include "core/picture/constraint_links.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

void addPairs(LinkKind kind, const std::vector<StayPair>& pairs, StayId stay,
              std::vector<ConstraintLink>& links) {
  for (const StayPair& pair : pairs) {
    if (pair.a == stay) links.push_back({kind, pair.b});
    if (pair.b == stay) links.push_back({kind, pair.a});
  }
}

bool paysPenalty(const Problem& problem, const Plan& plan, const ReusePenalty& penalty) {
  return !meetingBytes(problem, plan, penalty.pair).empty();
}

}  // namespace

std::string_view linkName(LinkKind kind) {
  static constexpr std::string_view kNames[] = {"together", "penalty paid", "penalty not paid",
                                                "exclusive", "apart"};
  return kNames[static_cast<std::size_t>(kind)];
}

Stroke strokeOf(LinkKind kind) {
  switch (kind) {
    case LinkKind::together:
      return {Ink::lowerBound, 2};
    case LinkKind::apart:
      return {Ink::text, 1.5};
    case LinkKind::paid:
      return {Ink::accent, 2};
    case LinkKind::unpaid:
      return {Ink::muted, 1.5, "4 3"};
    case LinkKind::exclusive:
      return {Ink::lowerBound, 1.5, "2 2"};
  }
  return {};
}

std::vector<ConstraintLink> linksOf(const Problem& problem, const Plan& plan, StayId stay) {
  const Constraints& rules = problem.constraints;
  std::vector<ConstraintLink> links;
  for (const StayId other : groupOf(problem, stay)) {
    if (other != stay) links.push_back({LinkKind::together, other});
  }
  addPairs(LinkKind::apart, rules.apart, stay, links);
  addPairs(LinkKind::exclusive, rules.exclusive, stay, links);
  for (const ReusePenalty& penalty : rules.penalties) {
    if (penalty.pair.a != stay && penalty.pair.b != stay) continue;
    links.push_back({paysPenalty(problem, plan, penalty) ? LinkKind::paid : LinkKind::unpaid,
                     penalty.pair.a == stay ? penalty.pair.b : penalty.pair.a, penalty.cost});
  }
  std::ranges::sort(links, [](const ConstraintLink& a, const ConstraintLink& b) {
    return std::pair(a.kind, a.partner) < std::pair(b.kind, b.partner);
  });
  return links;
}

std::vector<bool> linkKindsOf(const Problem& problem, const Plan& plan) {
  const Constraints& rules = problem.constraints;
  const std::size_t paid = paidPenalties(problem, plan).size();
  std::vector<bool> kinds(kLinkKinds, false);
  const auto set = [&](LinkKind kind, bool there) {
    kinds[static_cast<std::size_t>(kind)] = there;
  };
  set(LinkKind::together, !rules.together.empty());
  set(LinkKind::apart, !rules.apart.empty());
  set(LinkKind::paid, paid > 0);
  set(LinkKind::unpaid, paid < rules.penalties.size());
  set(LinkKind::exclusive, !rules.exclusive.empty());
  return kinds;
}

std::vector<Interval<Bytes>> reservedRanges(const Problem& problem, const Plan& plan, PoolId pool) {
  constexpr std::size_t kMostRegions = 64;
  const auto& reserved = problem.pools[pool].reserved;
  if (reserved.empty()) return {};
  std::vector<Bytes> starts{Bytes()};
  if (plan.regions.contains(pool) && !plan.regions[pool].empty()) starts = plan.regionStarts(pool);
  std::vector<Interval<Bytes>> ranges;
  const std::size_t regions = std::max<std::size_t>(starts.size(), 2) - 1;
  for (std::size_t i = 0; i < std::min(regions, kMostRegions); ++i) {
    for (const Interval<Bytes>& range : reserved) {
      const Interval<Bytes> flat{starts[i] + range.begin, starts[i] + range.end};
      const bool last = i + 1 == regions;
      ranges.push_back({flat.begin, last ? flat.end : std::min(flat.end, starts[i + 1])});
      if (ranges.back().empty()) ranges.pop_back();
    }
  }
  return ranges;
}

std::string penaltyWords(const Problem& problem, const Plan& plan) {
  if (problem.constraints.penalties.empty()) return {};
  return fmt::format("{} of {} paid, cost {}", groupDigits(paidPenalties(problem, plan).size()),
                     groupDigits(problem.constraints.penalties.size()),
                     groupDigits(penaltyOf(problem, plan)));
}

}  // namespace hw
