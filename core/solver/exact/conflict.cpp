#include "core/solver/exact/conflict.h"

#include <algorithm>
#include <chrono>

#include "core/base/check.h"
#include "core/solver/exact/boxes.h"

namespace hw {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Nodes spent on one question where the caller sets no limit.
constexpr std::int64_t kDefaultNodes = 200'000;

/// The stays `among` alone, all of them in the first of one pool.
Problem subset(const Problem& problem, const std::vector<StayId>& among) {
  Problem part;
  part.steps = problem.steps;
  part.pools.add({.name = "part"});
  for (const StayId id : among) {
    Stay stay = problem.stays[id];
    stay.pool = PoolId(0);
    for (const Interval<Step>& gap : problem.gapsOf(id)) {
      part.gaps.push_back({StayId(part.stays.size()), gap});
    }
    part.stays.add(stay);
  }
  return part;
}

class Filter {
 public:
  Filter(const Problem& problem, const ExactOptions& options)
      : problem_(problem), options_(options), start_(SteadyClock::now()) {
    options_.progress = {};
    options_.start.reset();
    options_.otherwise = {};  // A proof needs no plans.
    // A tenth for one question: there are many, and one that is hard must not use up all.
    each_ = options.nodes > 0 ? std::max<std::int64_t>(1, options.nodes / 10) : kDefaultNodes;
  }

  Conflict run(std::vector<StayId> stays) {
    Conflict conflict;
    if (ask(stays) != ExactStatus::infeasible) return {.nodes = nodes_};
    narrow(stays);
    conflict.minimal = filter(stays);
    conflict.stays = std::move(stays);
    conflict.nodes = nodes_;
    return conflict;
  }

 private:
  bool over() const {
    const std::chrono::duration<double> spent = SteadyClock::now() - start_;
    return options_.stop.stop_requested() || (options_.nodes > 0 && nodes_ >= options_.nodes) ||
           (options_.seconds > 0 && spent.count() >= options_.seconds);
  }

  ExactStatus ask(const std::vector<StayId>& stays) {
    if (over()) return ExactStatus::stopped;
    ExactOptions options = options_;
    options.nodes = options_.nodes > 0 ? std::min(each_, options_.nodes - nodes_) : each_;
    if (options_.seconds > 0) {
      const std::chrono::duration<double> spent = SteadyClock::now() - start_;
      options.seconds = std::max(1e-3, options_.seconds - spent.count());
    }
    const ExactResult found = solveExact(subset(problem_, stays), PoolId(0), options);
    nodes_ += found.nodes;
    return found.status;
  }

  /// Keeps the stays of one independent part that does not fit, and of these, where sizes alone
  /// exceed the capacity at one moment, the largest that do.
  void narrow(std::vector<StayId>& stays) {
    for (const exact::Boxes& part : exact::independentParts(problem_, stays)) {
      std::vector<StayId> own;
      for (const exact::Box& box : part.boxes) own.push_back(box.stay);
      if (part.load() > *options_.capacity) return overfull(part, stays);
      if (own.size() < stays.size() && ask(own) == ExactStatus::infeasible) {
        stays = std::move(own);
        return;
      }
    }
  }

  /// The fewest stays of an overfull section that overfill it: any one of them less, and they fit.
  void overfull(const exact::Boxes& part, std::vector<StayId>& stays) const {
    for (std::uint32_t section = 0; section < part.sections; ++section) {
      std::vector<const exact::Box*> live;
      for (const exact::Box& box : part.boxes) {
        const bool there = std::ranges::any_of(part.piecesOf(box), [&](const exact::Piece& piece) {
          return piece.first <= section && section < piece.last;
        });
        if (there) live.push_back(&box);
      }
      std::ranges::stable_sort(live, std::greater<>(), &exact::Box::size);
      Bytes sum;
      for (std::size_t count = 0; count < live.size(); ++count) {
        sum += live[count]->size;
        if (sum <= *options_.capacity) continue;
        stays.clear();
        for (std::size_t i = 0; i <= count; ++i) stays.push_back(live[i]->stay);
        std::ranges::sort(stays);
        return;
      }
    }
  }

  /// Leaves out what it can, group by group, halving the groups down to single stays. True when
  /// every stay that remains is needed.
  bool filter(std::vector<StayId>& stays) {
    bool certain = true;
    for (std::size_t group = std::max<std::size_t>(1, stays.size() / 2); group > 0; group /= 2) {
      certain = true;
      for (std::size_t at = 0; at < stays.size();) {
        std::vector<StayId> rest = stays;
        const std::size_t end = std::min(at + group, stays.size());
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at),
                   rest.begin() + static_cast<std::ptrdiff_t>(end));
        const ExactStatus status = ask(rest);
        certain &= status != ExactStatus::stopped;
        // Without the group it still does not fit: the group is not what is in the way.
        if (status == ExactStatus::infeasible) {
          stays = std::move(rest);
        } else {
          at += group;
        }
      }
    }
    return certain;
  }

  const Problem& problem_;
  ExactOptions options_;
  SteadyClock::time_point start_;
  std::int64_t each_;
  std::int64_t nodes_ = 0;
};

}  // namespace

Conflict findConflict(const Problem& problem, PoolId pool, const ExactOptions& options) {
  check(options.capacity.has_value(), "a capacity to be in conflict with");
  std::vector<StayId> stays;
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) == pool) stays.push_back(id);
  }
  return Filter(problem, options).run(std::move(stays));
}

}  // namespace hw
