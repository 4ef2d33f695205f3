#include "core/plan/virtual_time.h"

#include <algorithm>
#include <list>
#include <numeric>
#include <utility>

namespace hw {
namespace {

/// The stays that each conflicts with.
using ConflictLists = IdMap<StayId, std::vector<StayId>>;

ConflictLists conflictLists(std::size_t stays, const std::vector<StayPair>& conflicts) {
  ConflictLists lists(stays);
  for (const StayPair& pair : conflicts) {
    lists[pair.a].push_back(pair.b);
    lists[pair.b].push_back(pair.a);
  }
  return lists;
}

IdMap<StayId, std::size_t> placesIn(const std::vector<StayId>& order) {
  IdMap<StayId, std::size_t> places(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) places[order[at]] = at;
  return places;
}

void sortOnce(std::vector<StayPair>& pairs) {
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

/// The place behind the last stay that each overlaps, by stay, in an order by begin.
IdMap<StayId, std::size_t> endsIn(const IdMap<StayId, std::size_t>& places,
                                  const ConflictLists& lists) {
  IdMap<StayId, std::size_t> ends(places.size());
  std::vector<std::size_t> later;
  for (const StayId id : places.keys()) {
    later.clear();
    for (const StayId other : lists[id]) {
      if (places[other] > places[id]) later.push_back(places[other]);
    }
    std::ranges::sort(later);
    ends[id] = places[id] + 1;
    for (const std::size_t place : later) {
      if (place != ends[id]) break;
      ++ends[id];
    }
  }
  return ends;
}

/// Pairs of stays that live together.
std::size_t overlapsIn(const IdMap<StayId, std::size_t>& places, const ConflictLists& lists) {
  const auto ends = endsIn(places, lists);
  std::size_t overlaps = 0;
  for (const StayId id : places.keys()) overlaps += ends[id] - places[id] - 1;
  return overlaps;
}

/// A lexicographic breadth-first search by splitting classes: of stays with equal labels the one
/// that comes last in `before` goes first.
class LexicographicSearch {
 public:
  LexicographicSearch(const std::vector<StayId>& before, const ConflictLists& lists)
      : lists_(lists), rank_(before.size()), home_(before.size()), visited_(before.size(), false) {
    classes_.emplace_back();
    const std::vector<StayId> order(before.rbegin(), before.rend());
    for (const StayId id : order) {
      Class& all = classes_.back();
      rank_[id] = all.members.size();
      all.members.push_back(id);
      home_[id] = {classes_.begin(), std::prev(all.members.end())};
    }
  }

  std::vector<StayId> run() {
    std::vector<StayId> order;
    while (!classes_.empty()) {
      std::list<StayId>& first = classes_.front().members;
      if (first.empty()) {
        classes_.pop_front();
        continue;
      }
      order.push_back(first.front());
      first.pop_front();
      visited_[order.back()] = true;
      split(order.back());
    }
    return order;
  }

 private:
  struct Class {
    std::list<StayId> members{};
    std::size_t round = 0;  ///< In which `part` was split off.
    std::list<Class>::iterator part{};
  };
  struct Home {
    std::list<Class>::iterator at{};
    std::list<StayId>::iterator member{};
  };

  /// Those that conflict with `pivot` go in front of those that were equal to them.
  void split(StayId pivot) {
    ++round_;
    std::vector<StayId> others = lists_[pivot];
    std::ranges::sort(others, {}, [&](StayId id) { return rank_[id]; });
    std::vector<std::list<Class>::iterator> touched;
    for (const StayId id : others) {
      if (visited_[id]) continue;
      const auto from = home_[id].at;
      if (from->round != round_) {
        from->round = round_;
        from->part = classes_.insert(from, Class{});
        touched.push_back(from);
      }
      auto& part = from->part->members;
      part.splice(part.end(), from->members, home_[id].member);
      home_[id].at = from->part;
    }
    for (const auto& each : touched) {
      if (each->members.empty()) classes_.erase(each);
    }
  }

  const ConflictLists& lists_;
  IdMap<StayId, std::size_t> rank_;
  IdMap<StayId, Home> home_;
  IdMap<StayId, char> visited_;
  std::list<Class> classes_;
  std::size_t round_ = 0;
};

/// Steps by the ends of lives alone: stays that begin between two of them begin together.
VirtualTime timeIn(const IdMap<StayId, std::size_t>& places,
                   const std::vector<StayPair>& conflicts) {
  const auto ends = endsIn(places, conflictLists(places.size(), conflicts));
  std::vector<std::size_t> stepAt(places.size() + 1, 0);
  for (const std::size_t end : ends) stepAt[end] = 1;
  std::partial_sum(stepAt.begin(), stepAt.end(), stepAt.begin());
  VirtualTime time{.lives = IdMap<StayId, Interval<Step>>(places.size()),
                   .steps = Step(static_cast<std::int64_t>(stepAt.back()))};
  const auto stepOf = [&](std::size_t place) {
    return Step(static_cast<std::int64_t>(stepAt[place]));
  };
  for (const StayId id : places.keys()) time.lives[id] = {stepOf(places[id]), stepOf(ends[id])};
  for (const StayPair& pair : conflicts) {
    if (!time.lives[pair.a].overlaps(time.lives[pair.b])) time.apart.push_back(pair);
  }
  return time;
}

}  // namespace

void VirtualTime::applyTo(Problem& problem) const {
  for (const StayId id : lives.keys()) problem.stays[id].steps = lives[id];
  problem.steps = steps;
  auto& all = problem.constraints.apart;
  all.insert(all.end(), apart.begin(), apart.end());
  sortOnce(all);
  problem.constraints.virtualTime = true;
}

VirtualTime virtualTimeIn(const std::vector<StayId>& order, std::vector<StayPair> conflicts) {
  sortOnce(conflicts);
  return timeIn(placesIn(order), conflicts);
}

VirtualTime virtualTimeOf(std::size_t stays, std::vector<StayPair> conflicts) {
  constexpr int kSweeps = 6;
  sortOnce(conflicts);
  const ConflictLists lists = conflictLists(stays, conflicts);
  std::vector<StayId> order = IdRange<StayId>(stays).toVector();
  IdMap<StayId, std::size_t> best = placesIn(order);
  std::size_t most = overlapsIn(best, lists);
  for (int sweep = 0; sweep < kSweeps && most < conflicts.size(); ++sweep) {
    order = LexicographicSearch(order, lists).run();
    auto places = placesIn(order);
    const std::size_t overlaps = overlapsIn(places, lists);
    if (overlaps <= most) continue;
    most = overlaps;
    best = std::move(places);
  }
  return timeIn(best, conflicts);
}

bool endsBefore(const ClockLife& a, const ClockLife& b) {
  for (std::size_t i = 0; i < a.end.size(); ++i) {
    if (a.end[i] > b.begin[i]) return false;
  }
  return true;
}

std::optional<std::vector<StayPair>> conflictsOf(const IdMap<StayId, ClockLife>& lives,
                                                 std::size_t most) {
  std::vector<StayPair> pairs;
  for (const StayId a : lives.keys()) {
    for (StayId b(a.index() + 1); lives.contains(b); b = StayId(b.index() + 1)) {
      if (endsBefore(lives[a], lives[b]) || endsBefore(lives[b], lives[a])) continue;
      if (pairs.size() == most) return std::nullopt;
      pairs.push_back({a, b});
    }
  }
  return pairs;
}

std::vector<StayId> orderOf(const IdMap<StayId, ClockLife>& lives) {
  std::vector<StayId> order = lives.keys().toVector();
  std::ranges::stable_sort(order, {}, [&](StayId id) {
    return std::accumulate(lives[id].begin.begin(), lives[id].begin.end(), std::int64_t{0});
  });
  return order;
}

}  // namespace hw
