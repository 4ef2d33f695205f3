#include "tests/support/constrained_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "tests/support/problems.h"

namespace hw::test {
namespace {

/// Adds rules to a problem.
class RuleMaker {
 public:
  RuleMaker(Problem& problem, const ConstrainedShape& shape, std::uint64_t seed)
      : problem_(problem), shape_(shape), dice_(seed * 7919 + 1) {}

  void make() {
    addAllowed();
    addGroups();
    addPairs();
    addReserved();
  }

 private:
  void addAllowed() {
    if (shape_.pools < 2) return;
    for (const StayId id : problem_.stays.keys()) {
      std::vector<PoolId> pools;
      for (const PoolId pool : problem_.pools.keys()) {
        if (dice_.chance(50)) pools.push_back(pool);
      }
      const bool free = problem_.stays[id].pinned || dice_.chance(50);
      problem_.constraints.allowed.add(free ? std::vector<PoolId>() : std::move(pools));
    }
  }

  /// Pinned stays stay out of groups: two pins could not both be kept.
  void addGroups() {
    std::vector<StayId> group;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.stays[id].pinned || !dice_.chance(shape_.percent)) continue;
      group.push_back(id);
      grouped_.insert(id);
      if (group.size() < 3 && dice_.chance(50)) continue;
      if (group.size() > 1) problem_.constraints.together.push_back(group);
      group.clear();
    }
  }

  void addPairs() {
    Constraints& rules = problem_.constraints;
    for (const StayId a : problem_.stays.keys()) {
      for (StayId b(a.index() + 1); b.index() < problem_.stays.size(); b = StayId(b.index() + 1)) {
        if (dice_.chance(shape_.percent)) rules.penalties.push_back({{a, b}, dice_.roll(1, 9)});
        if (!dice_.chance(shape_.percent)) continue;
        // Two of a group may not be apart, and pins may share bytes that lives allow.
        const bool pins = problem_.stays[a].pinned && problem_.stays[b].pinned;
        const bool groups = grouped_.contains(a) && grouped_.contains(b);
        if (!pins && !groups && dice_.chance(50)) {
          rules.apart.push_back({a, b});
        } else {
          rules.exclusive.push_back({a, b});
        }
      }
    }
  }

  /// Above all that is pinned.
  void addReserved() {
    Bytes top;
    for (const Stay& stay : problem_.stays) {
      if (stay.pinned) top = std::max(top, *stay.pinned + stay.size);
    }
    for (ProblemPool& pool : problem_.pools) {
      Bytes at = top;
      while (dice_.chance(3 * shape_.percent)) {
        at += Bytes(dice_.roll(0, 2 * shape_.maxSize));
        const Bytes end = at + Bytes(dice_.roll(1, shape_.maxSize));
        if (!pool.reserved.empty() && pool.reserved.back().end == at) break;
        pool.reserved.push_back({at, end});
        at = end;
      }
    }
  }

  Problem& problem_;
  const ConstrainedShape& shape_;
  Dice dice_;
  std::set<StayId> grouped_;
};

bool isListed(const std::vector<StayPair>& pairs, StayId a, StayId b) {
  return std::ranges::any_of(pairs, [&](const StayPair& pair) {
    return (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
  });
}

bool inOneList(const std::vector<std::vector<StayId>>& groups, StayId a, StayId b) {
  return std::ranges::any_of(groups, [&](const std::vector<StayId>& group) {
    return std::ranges::count(group, a) == 1 && std::ranges::count(group, b) == 1;
  });
}

bool liveAt(const Problem& problem, StayId id, Step step) {
  for (const Gap& gap : problem.gaps) {
    if (gap.stay == id && gap.steps.contains(step)) return false;
  }
  return problem.stays[id].steps.contains(step);
}

bool liveTogether(const Problem& problem, StayId a, StayId b) {
  for (Step step; step < problem.steps; step += Step(1)) {
    if (liveAt(problem, a, step) && liveAt(problem, b, step)) return true;
  }
  return false;
}

bool shareBytes(const Problem& problem, const Plan& plan, StayId a, StayId b) {
  if (plan.addresses[a]->pool != plan.addresses[b]->pool) return false;
  const Bytes first = *plan.flatOffset(a);
  const Bytes second = *plan.flatOffset(b);
  return first < second + problem.stays[b].size && second < first + problem.stays[a].size;
}

void judgePair(const Problem& problem, const Plan& plan, StayId a, StayId b,
               std::vector<std::string>& broken) {
  const Constraints& rules = problem.constraints;
  const bool group = inOneList(rules.together, a, b);
  if (group && *plan.flatOffset(a) != *plan.flatOffset(b)) {
    broken.push_back(fmt::format("{} and {} are not together", a.index(), b.index()));
  }
  if (!shareBytes(problem, plan, a, b)) return;
  if (isListed(rules.apart, a, b)) {
    broken.push_back(fmt::format("{} and {} are not apart", a.index(), b.index()));
  }
  if (group || isListed(rules.exclusive, a, b) || !liveTogether(problem, a, b)) return;
  broken.push_back(fmt::format("{} and {} clash", a.index(), b.index()));
}

}  // namespace

Problem constrainedProblem(std::uint64_t seed, const ConstrainedShape& shape) {
  Problem problem = randomProblem(seed, {.stays = shape.stays,
                                         .maxSize = shape.maxSize,
                                         .alignedPercent = 30,
                                         .pinnedPercent = shape.pins ? 15 : 0,
                                         .gapPercent = shape.gaps ? 20 : 0,
                                         .pools = shape.pools});
  for (Stay& stay : problem.stays) {
    const auto alignment = static_cast<std::uint64_t>(stay.alignment.count());
    stay.alignment = Bytes(static_cast<std::int64_t>(std::bit_floor(alignment)));
    if (stay.pinned && stay.pinned->count() % stay.alignment.count() != 0) {
      stay.alignment = Bytes(1);
    }
  }
  RuleMaker(problem, shape, seed).make();
  return problem;
}

std::vector<std::string> brokenRules(const Problem& problem, const Plan& plan) {
  std::vector<std::string> broken;
  for (const StayId a : problem.stays.keys()) {
    const Stay& stay = problem.stays[a];
    const Address& at = *plan.addresses[a];
    const Bytes offset = *plan.flatOffset(a);
    if (offset.count() % stay.alignment.count() != 0) broken.push_back("misaligned");
    if (stay.pinned && *stay.pinned != offset) broken.push_back("a pin was moved");
    if (stay.pool && stay.pool != at.pool) broken.push_back("in another pool");
    const auto& allowed = problem.constraints.allowed;
    if (!allowed.empty() && !allowed[a].empty() && std::ranges::count(allowed[a], at.pool) == 0) {
      broken.push_back("in a pool that is not allowed");
    }
    for (const Interval<Bytes>& range : problem.pools[at.pool].reserved) {
      if (range.overlaps({offset, offset + stay.size})) broken.push_back("on reserved bytes");
    }
    for (StayId b(a.index() + 1); b.index() < problem.stays.size(); b = StayId(b.index() + 1)) {
      judgePair(problem, plan, a, b, broken);
    }
  }
  return broken;
}

std::int64_t naivePenalty(const Problem& problem, const Plan& plan) {
  std::int64_t sum = 0;
  for (const ReusePenalty& penalty : problem.constraints.penalties) {
    if (shareBytes(problem, plan, penalty.pair.a, penalty.pair.b)) sum += penalty.cost;
  }
  return sum;
}

}  // namespace hw::test
