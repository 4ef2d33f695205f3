#include "core/import/stated_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "core/base/text.h"
#include "core/plan/constraint_use.h"
#include "core/plan/virtual_time.h"

namespace hw {
namespace {

tl::unexpected<Error> tooManyPairs() {
  return fail(ErrorCode::unsupported, fmt::format("the rules come to more than {} pairs of buffers",
                                                  groupDigits(kMostRulePairs)));
}

/// The first of those that are in one group with a stay, halving the way to it.
StayId firstOfGroup(IdMap<StayId, StayId>& firsts, StayId id) {
  while (firsts[id] != id) {
    firsts[id] = firsts[firsts[id]];
    id = firsts[id];
  }
  return id;
}

}  // namespace

/// Pools and lives of the stays of a problem, asked for pair by pair, whatever a file repeats.
class RuleFacts {
 public:
  explicit RuleFacts(const Problem& problem) : problem_(problem), pools_(problem.stays.size()) {
    for (const StayId id : pools_.keys()) {
      for (const PoolId pool : poolsFor(problem, id)) pools_[id].set(pool.index());
    }
    if (problem.gaps.empty()) return;
    lives_.resize(problem.stays.size());
    for (const StayId id : lives_.keys()) lives_[id] = problem.liveSteps(id);
  }

  bool mayShareAPool(StayId a, StayId b) const { return (pools_[a] & pools_[b]).any(); }

  /// True if there is a step in which both are live. O(lives of one x log lives of the other).
  bool liveTogether(StayId a, StayId b) const {
    if (!problem_.stays[a].steps.overlaps(problem_.stays[b].steps)) return false;
    if (lives_.empty()) return true;
    const bool less = lives_[a].size() < lives_[b].size();
    const auto& many = lives_[less ? b : a];
    return std::ranges::any_of(lives_[less ? a : b], [&](const Interval<Step>& live) {
      const auto next = std::ranges::upper_bound(many, live.begin, {}, &Interval<Step>::end);
      return next != many.end() && next->overlaps(live);
    });
  }

  /// True if the two may not share bytes, their group aside.
  bool neverMeet(const StayPair& pair) const {
    const Constraints& rules = problem_.constraints;
    if (std::ranges::binary_search(rules.apart, pair) || !mayShareAPool(pair.a, pair.b))
      return true;
    return liveTogether(pair.a, pair.b) && !std::ranges::binary_search(rules.exclusive, pair);
  }

 private:
  static constexpr std::size_t kPools = 256;
  const Problem& problem_;
  IdMap<StayId, std::bitset<kPools>> pools_;
  IdMap<StayId, std::vector<Interval<Step>>> lives_;  ///< Empty where nobody has gaps.
};

void StatedRules::add(PairRule rule, StayId a, StayId b, std::size_t place, std::int64_t cost) {
  if (rule == PairRule::penalty && cost == 0) return;
  of(rule).push_back({{std::min(a, b), std::max(a, b)}, static_cast<std::uint32_t>(place), cost});
}

tl::unexpected<Error> StatedRules::contradiction(PairRule rule, const Stated& stated,
                                                 std::string_view what) {
  return fail(
      ErrorCode::malformed,
      fmt::format("buffers '{}' and '{}' {}", name_(stated.pair.a), name_(stated.pair.b), what),
      where_(rule, stated.place));
}

std::vector<StayPair> StatedRules::pairsOf(PairRule rule) {
  std::vector<StayPair> pairs;
  pairs.reserve(of(rule).size());
  for (const Stated& each : of(rule)) pairs.push_back(each.pair);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

void StatedRules::group() {
  if (of(PairRule::together).empty()) return;
  IdMap<StayId, StayId> firsts(problem_.stays.size());
  for (const StayId id : firsts.keys()) firsts[id] = id;
  for (const Stated& each : of(PairRule::together)) {
    const StayId a = firstOfGroup(firsts, each.pair.a);
    const StayId b = firstOfGroup(firsts, each.pair.b);
    firsts[std::max(a, b)] = std::min(a, b);
  }
  IdMap<StayId, std::vector<StayId>> members(problem_.stays.size());
  for (const StayId id : firsts.keys()) members[firstOfGroup(firsts, id)].push_back(id);
  for (std::vector<StayId>& each : members) {
    if (each.size() > 1) problem_.constraints.together.push_back(std::move(each));
  }
}

Result<void> StatedRules::addLoners(const RuleFacts& facts) {
  const std::size_t stays = problem_.stays.size();
  if (stays > 0 && alone_.size() > kMostRulePairs / stays) return tooManyPairs();
  for (const StayId alone : alone_) {
    const auto group = groupOf(problem_, alone);  // They are meant to share.
    for (const StayId id : problem_.stays.keys()) {
      if (id == alone || !facts.mayShareAPool(id, alone)) continue;
      if (std::ranges::binary_search(group, id)) continue;
      problem_.constraints.apart.push_back({std::min(id, alone), std::max(id, alone)});
    }
  }
  return {};
}

Result<void> StatedRules::addApart(const RuleFacts& facts) {
  auto& apart = problem_.constraints.apart;
  const std::vector<StayPair> stated = pairsOf(PairRule::apart);
  apart.insert(apart.end(), stated.begin(), stated.end());
  HW_DO(addLoners(facts));
  std::ranges::sort(apart);
  apart.erase(std::unique(apart.begin(), apart.end()), apart.end());
  return {};
}

Result<void> StatedRules::checkGroups(const RuleFacts& facts) {
  std::size_t pairs = 0;
  IdMap<StayId, std::size_t> groups(problem_.stays.size(), 0);
  std::size_t number = 0;
  for (const std::vector<StayId>& each : problem_.constraints.together) {
    ++number;
    if (each.size() > kMostRulePairs / each.size()) return tooManyPairs();
    pairs += each.size() * (each.size() - 1) / 2;
    for (const StayId id : each) groups[id] = number;
  }
  if (pairs > kMostRulePairs) return tooManyPairs();
  for (const PairRule rule : {PairRule::apart, PairRule::conflict}) {
    for (const Stated& each : of(rule)) {
      const std::size_t group = groups[each.pair.a];
      if (group == 0 || group != groups[each.pair.b]) continue;
      if (!facts.mayShareAPool(each.pair.a, each.pair.b)) continue;
      return contradiction(rule, each, "may not share bytes, and have to begin at one offset");
    }
  }
  return {};
}

Result<void> StatedRules::addExclusive(const RuleFacts& facts) {
  const std::vector<StayPair> apart = pairsOf(PairRule::apart);
  const std::vector<StayPair> conflicts = pairsOf(PairRule::conflict);
  for (const Stated& each : of(PairRule::exclusive)) {
    const bool may = !std::ranges::binary_search(apart, each.pair) &&
                     !std::ranges::binary_search(conflicts, each.pair);
    if (may) continue;
    return contradiction(PairRule::exclusive, each,
                         "may not share bytes, and may since they are exclusive");
  }
  std::vector<StayPair> pairs = pairsOf(PairRule::exclusive);
  std::erase_if(pairs, [&](const StayPair& pair) {
    return !facts.liveTogether(pair.a, pair.b) ||
           std::ranges::binary_search(problem_.constraints.apart, pair);  // Of a loner.
  });
  problem_.constraints.exclusive = std::move(pairs);
  return {};
}

Result<std::vector<std::string>> StatedRules::addPenalties(const RuleFacts& facts) {
  Statements& stated = of(PairRule::penalty);
  std::ranges::stable_sort(stated, {}, &Stated::pair);
  std::int64_t sum = 0;
  std::size_t idle = 0;
  auto& penalties = problem_.constraints.penalties;
  bool skipped = false;
  const Stated* before = nullptr;
  for (const Stated& each : stated) {
    const StayPair& pair = each.pair;
    if (before == nullptr || before->pair != pair) skipped = facts.neverMeet(pair);
    before = &each;
    if (skipped) {
      ++idle;
      continue;
    }
    if (each.cost > kMostPenalty - sum) {
      return contradiction(PairRule::penalty, each,
                           fmt::format("have cost {}, with which all costs come to more than {}",
                                       each.cost, kMostPenalty));
    }
    sum += each.cost;
    if (penalties.empty() || penalties.back().pair != pair) penalties.push_back({pair, 0});
    penalties.back().cost += each.cost;
  }
  std::vector<std::string> notes;
  if (idle > 0) {
    notes.push_back(fmt::format(
        "{} penalties are of pairs that can never share bytes, and left out", groupDigits(idle)));
  }
  return notes;
}

Result<std::vector<std::string>> StatedRules::apply() && {
  if (virtualTime_) {
    auto conflicts = pairsOf(PairRule::conflict);
    const VirtualTime time = order_.empty()
                                 ? virtualTimeOf(problem_.stays.size(), std::move(conflicts))
                                 : virtualTimeIn(order_, std::move(conflicts));
    time.applyTo(problem_);
  }
  const RuleFacts facts(problem_);
  group();
  HW_DO(checkGroups(facts));
  HW_DO(addApart(facts));
  HW_DO(addExclusive(facts));
  return addPenalties(facts);
}

}  // namespace hw
