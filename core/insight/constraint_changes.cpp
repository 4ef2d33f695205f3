#include "core/insight/constraint_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/allocators/catalog.h"
#include "core/base/text.h"
#include "core/plan/constraint_use.h"

namespace hw {
namespace {

class ChangeList {
 public:
  explicit ChangeList(const Run& run) : run_(run), problem_(run.problem) {
    // Pools were decided for the run: a problem without a constraint may have others.
    for (const StayId id : problem_.stays.keys()) {
      problem_.stays[id].pool = run.model->problem && run.model->problem->stays.contains(id)
                                    ? run.model->problem->stays[id].pool
                                    : problem_.stays[id].pool;
    }
  }

  std::vector<ConstraintChange> list(std::size_t most) {
    addPairs();
    addGroups();
    addReserved();
    addStays();
    std::ranges::stable_sort(found_, std::greater(), &Found::bytes);
    std::vector<ConstraintChange> changes;
    for (std::size_t i = 0; i < std::min(most, found_.size()); ++i) {
      ConstraintChange& change = changes.emplace_back();
      change.without = found_[i].without;
      change.problem = problem_;
      found_[i].take(change.problem);
    }
    return changes;
  }

 private:
  /// A constraint, and how it is taken out.
  struct Found {
    Bytes bytes{};
    std::string without{};
    std::function<void(Problem&)> take{};
  };

  std::string name(StayId id) const { return "'" + printable(run_.stayName(id), 80) + "'"; }
  Bytes size(StayId id) const { return problem_.stays[id].size; }

  void addPairs() {
    const auto& apart = problem_.constraints.apart;
    for (std::size_t i = 0; i < apart.size(); ++i) {
      found_.push_back({std::min(size(apart[i].a), size(apart[i].b)),
                        fmt::format("{} and {} apart", name(apart[i].a), name(apart[i].b)),
                        [i](Problem& problem) {
                          auto& pairs = problem.constraints.apart;
                          pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
                        }});
    }
  }

  void addGroups() {
    const auto& groups = problem_.constraints.together;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::string names;
      Bytes sum;
      for (const StayId id : groups[i]) {
        names += (names.empty() ? "" : ", ") + name(id);
        sum += size(id);
      }
      found_.push_back({sum, names + " together", [i](Problem& problem) {
                          auto& lists = problem.constraints.together;
                          lists.erase(lists.begin() + static_cast<std::ptrdiff_t>(i));
                        }});
    }
  }

  void addReserved() {
    for (const PoolId pool : problem_.pools.keys()) {
      const auto& ranges = problem_.pools[pool].reserved;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        found_.push_back(
            {ranges[i].length(),
             fmt::format("bytes [{}, {}) of {} reserved", groupDigits(ranges[i].begin.count()),
                         groupDigits(ranges[i].end.count()), problem_.pools[pool].name),
             [pool, i](Problem& problem) {
               auto& reserved = problem.pools[pool].reserved;
               reserved.erase(reserved.begin() + static_cast<std::ptrdiff_t>(i));
             }});
      }
    }
  }

  void addStays() {
    for (const StayId id : problem_.stays.keys()) {
      const auto& pinned = problem_.stays[id].pinned;
      if (pinned) {
        found_.push_back({size(id),
                          fmt::format("{} pinned to {}", name(id), groupDigits(pinned->count())),
                          [id](Problem& problem) { problem.stays[id].pinned.reset(); }});
      }
      const auto& allowed = problem_.constraints.allowed;
      const bool several = problem_.pools.size() > 1;
      if (!several || pinned || allowed.empty() || allowed[id].empty()) continue;
      found_.push_back({size(id), name(id) + " kept out of some pools", [id](Problem& problem) {
                          problem.constraints.allowed[id].clear();
                          problem.stays[id].pool = PoolId();
                        }});
    }
  }

  const Run& run_;
  Problem problem_;
  std::vector<Found> found_;
};

}  // namespace

std::string notPayingText(const Run& run, const ReusePenalty& paid) {
  Problem problem = run.problem;
  Constraints& rules = problem.constraints;
  std::erase(rules.penalties, paid);
  rules.apart.insert(std::ranges::upper_bound(rules.apart, paid.pair), paid.pair);
  const auto choice = AllocatorChoice::parse("best:for=penalty,moves=100000,nodes=20000");
  const auto plan = choice->make()->plan(problem, {.story = false});
  if (!plan || plan->status == PlanStatus::infeasible) return "apart, no plan fits";
  if (!fits(problem, *plan)) return "apart, no plan that fits was found";
  const std::int64_t before = penaltyOf(run.problem, run.plan);
  const std::int64_t after = penaltyOf(problem, *plan);
  std::string text =
      fmt::format("apart, {} in all instead of {}", groupDigits(after), groupDigits(before));
  if (after < before) return text;
  return text + (plan->penaltyBound == after ? ", and no plan with less" : "");
}

std::vector<ConstraintChange> constraintChanges(const Run& run, std::size_t most) {
  if (!run.graph().ops.empty()) return {};
  return ChangeList(run).list(most);
}

}  // namespace hw
