#include "core/plan/constraint_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"

namespace hw {
namespace {

std::string pairText(const StayPair& pair) {
  return fmt::format("{} and {}", pair.a.index(), pair.b.index());
}

bool isKnown(const Problem& problem, const StayPair& pair) {
  return pair.a < pair.b && problem.stays.contains(pair.a) && problem.stays.contains(pair.b);
}

void auditPairs(const Problem& problem, const std::vector<StayPair>& pairs, std::string_view list,
                std::vector<Violation>& found) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (isKnown(problem, pairs[i]) && (i == 0 || pairs[i - 1] < pairs[i])) continue;
    found.push_back({fmt::format("constraints: pair {} of '{}' is unknown or out of order",
                                 pairText(pairs[i]), list),
                     pairs[i].a, pairs[i].b});
    return;
  }
}

void auditPrices(const Problem& problem, std::vector<Violation>& found) {
  std::int64_t sum = 0;
  const ReusePenalty* before = nullptr;
  for (const ReusePenalty& penalty : problem.constraints.penalties) {
    const bool ordered = before == nullptr || before->pair < penalty.pair;
    const bool sane = penalty.cost > 0 && penalty.cost <= kMostPenalty - sum;
    if (!isKnown(problem, penalty.pair) || !ordered || !sane) {
      found.push_back({fmt::format("constraints: the penalty of {} is unknown, out of order, not "
                                   "positive, or all together are too large",
                                   pairText(penalty.pair)),
                       penalty.pair.a, penalty.pair.b});
      return;
    }
    sum += penalty.cost;
    before = &penalty;
  }
}

void auditGroups(const Problem& problem, std::vector<Violation>& found) {
  std::set<StayId> seen;
  for (const std::vector<StayId>& group : problem.constraints.together) {
    bool sound = group.size() > 1 && std::ranges::is_sorted(group);
    for (const StayId id : group) {
      sound = sound && problem.stays.contains(id) && seen.insert(id).second;
    }
    if (sound) continue;
    found.push_back(
        {"constraints: a group is too small, out of order, or has a stay that is "
         "unknown or in two groups",
         group.empty() ? StayId() : group.front()});
    return;
  }
}

void auditAllowed(const Problem& problem, std::vector<Violation>& found) {
  const auto& allowed = problem.constraints.allowed;
  if (allowed.empty()) return;
  bool sound = allowed.size() == problem.stays.size();
  for (const std::vector<PoolId>& pools : allowed) {
    sound = sound && std::ranges::is_sorted(pools) &&
            std::ranges::all_of(pools, [&](PoolId pool) { return problem.pools.contains(pool); });
  }
  if (!sound) found.push_back({"constraints: allowed pools are unknown or out of order"});
}

void auditReserved(const Problem& problem, std::vector<Violation>& found) {
  for (const PoolId pool : problem.pools.keys()) {
    Bytes before;
    for (const Interval<Bytes>& range : problem.pools[pool].reserved) {
      if (range.begin >= before && !range.empty() && range.end <= kMaxBytes) {
        before = range.end;
        continue;
      }
      found.push_back(
          {fmt::format("pool {}: reserved ranges are empty or out of order", pool.index())});
      return;
    }
  }
}

/// Looks at finished plans.
class ConstraintJudge {
 public:
  ConstraintJudge(const Problem& problem, const Plan& plan, const std::vector<StayId>& placed,
                  const IdMap<PoolId, IdMap<RegionId, Bytes>>& starts,
                  const std::function<std::string(StayId)>& nameOf)
      : problem_(problem),
        rules_(problem.constraints),
        nameOf_(nameOf),
        places_(problem.stays.size()),
        group_(problem.stays.size()) {
    for (const std::vector<StayId>& group : rules_.together) {
      for (const StayId id : group) group_[id] = group.front();
    }
    for (const StayId id : placed) {
      const Address& at = *plan.addresses[id];
      const Bytes begin = starts[at.pool][at.region] + at.offset;
      places_[id] = Place{at.pool, at.region, at.offset, begin, begin + problem.stays[id].size};
    }
  }

  std::vector<Violation> run() {
    for (const StayPair& pair : rules_.apart) {
      if (meet(pair.a, pair.b)) clash(pair.a, pair.b, "have to be apart and share bytes");
    }
    for (const std::vector<StayId>& group : rules_.together) judgeGroup(group);
    for (const StayId id : places_.keys()) judgePlace(id);
    if (letsShare(problem_)) judgeLives();
    return std::move(found_);
  }

 private:
  struct Place {
    PoolId pool{};
    RegionId region{};
    Bytes offset{};
    Bytes begin{};  ///< In the flat space of the pool.
    Bytes end{};
  };

  bool meet(StayId a, StayId b) const {
    if (!places_[a] || !places_[b] || places_[a]->pool != places_[b]->pool) return false;
    return places_[a]->begin < places_[b]->end && places_[b]->begin < places_[a]->end;
  }

  /// A stay with its bytes.
  std::string placeText(StayId id) const {
    return fmt::format("{} at [{}, {})", nameOf_(id), groupDigits(places_[id]->begin.count()),
                       groupDigits(places_[id]->end.count()));
  }

  void clash(StayId a, StayId b, std::string_view what) {
    found_.push_back({fmt::format("{} and {} {}", placeText(a), placeText(b), what), a, b});
  }

  void judgeGroup(const std::vector<StayId>& group) {
    for (const StayId id : group) {
      const auto& first = places_[group.front()];
      if (!first || !places_[id]) continue;
      const bool same = places_[id]->offset == first->offset &&
                        (places_[id]->pool != first->pool || places_[id]->region == first->region);
      if (!same) clash(group.front(), id, "have to begin at one address");
    }
  }

  void judgePlace(StayId id) {
    if (!places_[id]) return;
    const Place& place = *places_[id];
    const std::string& pool = problem_.pools[place.pool].name;
    const bool free = rules_.allowed.empty() || rules_.allowed[id].empty();
    if (!free && std::ranges::find(rules_.allowed[id], place.pool) == rules_.allowed[id].end()) {
      found_.push_back(
          {fmt::format("{} is in {}, where it is not allowed", nameOf_(id), pool), id});
    }
    for (const Interval<Bytes>& range : problem_.pools[place.pool].reserved) {
      if (place.begin >= range.end || range.begin >= place.end) continue;
      found_.push_back(
          {fmt::format("{} touches bytes [{}, {}) of {}, which are reserved", placeText(id),
                       groupDigits(range.begin.count()), groupDigits(range.end.count()), pool),
           id});
    }
  }

  bool permitted(StayId a, StayId b) const {
    if (group_[a] && group_[a] == group_[b]) return true;
    return std::ranges::binary_search(rules_.exclusive, StayPair{std::min(a, b), std::max(a, b)});
  }

  bool liveTogether(StayId a, StayId b) const {
    const std::vector<Interval<Step>> others = problem_.liveSteps(b);
    return std::ranges::any_of(problem_.liveSteps(a), [&](const Interval<Step>& live) {
      return std::ranges::any_of(others,
                                 [&](const Interval<Step>& other) { return live.overlaps(other); });
    });
  }

  /// All pairs whose steps overlap, since bytes that several may have at once can be in the way of
  /// others.
  void judgeLives() {
    std::vector<StayId> order;
    for (const StayId id : places_.keys()) {
      if (places_[id]) order.push_back(id);
    }
    std::ranges::stable_sort(order, {}, [&](StayId id) { return problem_.stays[id].steps.begin; });
    std::vector<StayId> live;
    for (const StayId id : order) {
      const Step now = problem_.stays[id].steps.begin;
      std::erase_if(live, [&](StayId other) { return problem_.stays[other].steps.end <= now; });
      for (const StayId other : live) {
        if (!meet(id, other) || permitted(id, other) || !liveTogether(id, other)) continue;
        clash(other, id, "share bytes and steps");
      }
      live.push_back(id);
    }
  }

  const Problem& problem_;
  const Constraints& rules_;
  const std::function<std::string(StayId)>& nameOf_;
  IdMap<StayId, std::optional<Place>> places_;
  IdMap<StayId, StayId> group_;  ///< The first of its group; none: it is in none.
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> auditConstraints(const Problem& problem) {
  std::vector<Violation> found;
  const Constraints& rules = problem.constraints;
  auditPairs(problem, rules.apart, "apart", found);
  auditPairs(problem, rules.exclusive, "exclusive", found);
  auditGroups(problem, found);
  auditPrices(problem, found);
  auditAllowed(problem, found);
  auditReserved(problem, found);
  for (const StayPair& pair : rules.apart) {
    if (!std::ranges::binary_search(rules.exclusive, pair)) continue;
    found.push_back({fmt::format("constraints: {} are both apart and exclusive", pairText(pair)),
                     pair.a, pair.b});
    break;
  }
  return found;
}

bool letsShare(const Problem& problem) {
  if (!problem.constraints.exclusive.empty()) return true;
  for (const std::vector<StayId>& group : problem.constraints.together) {
    std::set<PoolId> pools;
    for (const StayId id : group) {
      const PoolId pool = problem.stays[id].pool;
      if (!pool || !pools.insert(pool).second) return true;
    }
  }
  return false;
}

std::vector<Violation> auditConstrainedPlan(const Problem& problem, const Plan& plan,
                                            const std::vector<StayId>& placed,
                                            const IdMap<PoolId, IdMap<RegionId, Bytes>>& starts,
                                            const std::function<std::string(StayId)>& nameOf) {
  return ConstraintJudge(problem, plan, placed, starts, nameOf).run();
}

}  // namespace hw
