#include "core/plan/constraint_use.h"

#include <algorithm>
#include <set>

#include "core/plan/life_edges.h"

namespace hw {
namespace {

bool has(const std::vector<StayPair>& pairs, StayId a, StayId b) {
  return std::ranges::binary_search(pairs, StayPair{std::min(a, b), std::max(a, b)});
}

/// The steps in which both are live, ascending.
std::vector<Interval<Step>> stepsOfBoth(const Problem& problem, StayId a, StayId b) {
  if (!problem.stays[a].steps.overlaps(problem.stays[b].steps)) return {};
  const std::vector<Interval<Step>> left = problem.liveSteps(a);
  const std::vector<Interval<Step>> right = problem.liveSteps(b);
  std::vector<Interval<Step>> both;
  for (auto x = left.begin(), y = right.begin(); x != left.end() && y != right.end();) {
    const Interval<Step> shared{std::max(x->begin, y->begin), std::min(x->end, y->end)};
    if (!shared.empty()) both.push_back(shared);
    x->end < y->end ? ++x : ++y;
  }
  return both;
}

bool inOneGroup(const Problem& problem, StayId a, StayId b) {
  const auto group = groupOf(problem, a);
  return std::ranges::find(group, b) != group.end();
}

/// `bytes` without those of `taken`.
std::vector<Interval<Bytes>> without(Interval<Bytes> bytes, std::vector<Interval<Bytes>> taken) {
  std::ranges::sort(taken);
  std::vector<Interval<Bytes>> left;
  for (const Interval<Bytes>& each : taken) {
    if (each.begin > bytes.begin) left.push_back({bytes.begin, std::min(each.begin, bytes.end)});
    bytes.begin = std::max(bytes.begin, each.end);
    if (bytes.empty()) break;
  }
  if (!bytes.empty()) left.push_back(bytes);
  return left;
}

/// Somebody with a lower id has some of the bytes of a stay for some steps.
struct LentBytes {
  Interval<Step> steps{};
  Interval<Bytes> bytes{};
};

std::vector<OwnPiece> piecesOf(const std::vector<Interval<Step>>& lives, Interval<Bytes> bytes,
                               const std::vector<LentBytes>& lent) {
  std::vector<OwnPiece> pieces;
  for (const Interval<Step>& live : lives) {
    std::set<Step> cuts{live.begin, live.end};
    for (const LentBytes& each : lent) {
      if (live.contains(each.steps.begin)) cuts.insert(each.steps.begin);
      if (live.contains(each.steps.end)) cuts.insert(each.steps.end);
    }
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      std::vector<Interval<Bytes>> taken;
      for (const LentBytes& each : lent) {
        if (each.steps.contains(*cut)) taken.push_back(each.bytes);
      }
      for (const Interval<Bytes>& part : without(bytes, std::move(taken))) {
        pieces.push_back({{*cut, *std::next(cut)}, part});
      }
    }
  }
  return pieces;
}

}  // namespace

std::vector<StayPair> sharersOf(const Problem& problem) {
  std::vector<StayPair> pairs = problem.constraints.exclusive;
  for (const std::vector<StayId>& group : problem.constraints.together) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = i + 1; j < group.size(); ++j) {
        const PoolId a = problem.stays[group[i]].pool;
        const PoolId b = problem.stays[group[j]].pool;
        if (!a || !b || a == b) pairs.push_back({group[i], group[j]});
      }
    }
  }
  return pairs;
}

bool isConstrained(const Problem& problem) {
  return !problem.constraints.empty() ||
         std::ranges::any_of(problem.pools,
                             [](const ProblemPool& pool) { return !pool.reserved.empty(); });
}

bool arePoolsDecided(const Problem& problem) {
  return std::ranges::all_of(problem.stays,
                             [](const Stay& stay) { return static_cast<bool>(stay.pool); });
}

std::vector<PoolId> poolsFor(const Problem& problem, StayId stay) {
  if (problem.stays[stay].pool) return {problem.stays[stay].pool};
  const auto& allowed = problem.constraints.allowed;
  if (!allowed.empty() && !allowed[stay].empty()) return allowed[stay];
  return problem.pools.keys().toVector();
}

std::span<const StayId> groupOf(const Problem& problem, StayId stay) {
  for (const std::vector<StayId>& group : problem.constraints.together) {
    if (std::ranges::binary_search(group, stay)) return group;
  }
  return {};
}

std::vector<StayPair> conflictsOf(const Problem& problem) {
  LifeEdges collected;
  collected.reserve(problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    for (const Interval<Step>& live : problem.liveSteps(id)) {
      collected.add(live, static_cast<std::uint32_t>(id.index()));
    }
  }
  std::vector<StayPair> pairs = problem.constraints.apart;
  std::set<StayId> live;
  for (const LifeEdge& edge : collected.sorted()) {
    const StayId id(edge.item);
    if (!edge.begins()) {
      live.erase(id);
      continue;
    }
    for (const StayId other : live) pairs.push_back({std::min(id, other), std::max(id, other)});
    live.insert(id);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<StayPair> free = sharersOf(problem);
  std::ranges::sort(free);
  std::erase_if(pairs,
                [&](const StayPair& pair) { return std::ranges::binary_search(free, pair); });
  return pairs;
}

bool inConflict(const Problem& problem, StayId a, StayId b) {
  if (has(problem.constraints.apart, a, b)) return true;
  // Groups last: they are looked through.
  return !stepsOfBoth(problem, a, b).empty() && !has(problem.constraints.exclusive, a, b) &&
         !inOneGroup(problem, a, b);
}

Interval<Bytes> meetingBytes(const Problem& problem, const Plan& plan, const StayPair& pair) {
  const auto& a = plan.addresses[pair.a];
  const auto& b = plan.addresses[pair.b];
  if (!a || !b || a->pool != b->pool || a->region != b->region) return {};
  const Bytes begin = std::max(a->offset, b->offset);
  const Bytes end =
      std::min(a->offset + problem.stays[pair.a].size, b->offset + problem.stays[pair.b].size);
  return {begin, std::max(begin, end)};
}

std::vector<ReusePenalty> paidPenalties(const Problem& problem, const Plan& plan) {
  std::vector<ReusePenalty> paid;
  for (const ReusePenalty& penalty : problem.constraints.penalties) {
    if (!meetingBytes(problem, plan, penalty.pair).empty()) paid.push_back(penalty);
  }
  return paid;
}

std::int64_t penaltyOf(const Problem& problem, const Plan& plan) {
  std::int64_t sum = 0;
  for (const ReusePenalty& penalty : paidPenalties(problem, plan)) sum += penalty.cost;
  return sum;
}

OwnPieces ownPieces(const Problem& problem, const Plan& plan) {
  const std::vector<StayPair> pairs = sharersOf(problem);
  if (pairs.empty()) return {};
  IdMap<StayId, std::vector<LentBytes>> lent(problem.stays.size());
  bool any = false;
  for (const StayPair& pair : pairs) {
    const Interval<Bytes> bytes = meetingBytes(problem, plan, pair);
    if (bytes.empty()) continue;
    for (const Interval<Step>& steps : stepsOfBoth(problem, pair.a, pair.b)) {
      lent[pair.b].push_back({steps, bytes});
      any = true;
    }
  }
  if (!any) return {};
  OwnPieces pieces(problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    if (lent[id].empty()) continue;
    const Bytes begin = plan.addresses[id]->offset;
    pieces[id] = piecesOf(problem.liveSteps(id), {begin, begin + problem.stays[id].size}, lent[id]);
  }
  return pieces;
}

}  // namespace hw
