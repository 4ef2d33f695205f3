#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/allocators/hasten.h"
#include "core/allocators/params.h"
#include "core/base/result.h"
#include "core/plan/decision.h"
#include "core/plan/plan.h"
#include "core/solver/search_use.h"

namespace hw {

struct ExactProgress;

/// Everything that an allocator may use besides the problem: nothing global, nothing hidden.
struct PlanContext {
  std::stop_token stop{};
  std::uint64_t seed = 1;
  int threads = 1;
  std::int64_t nodeBudget = 1'000'000;  ///< For searches; counted, so that runs repeat.
  double timeLimit = 0;                 ///< Seconds; 0: none.
  Clock clock{};                        ///< Measures time limits; empty: the machine's.
  /// The budgets used so far by searches, for plannings that run the allocator more than once;
  /// null: this is the only run.
  SearchUse* use = nullptr;
  /// True for one of many plannings that are compared with each other: searches stay within their
  /// budgets, and these are smaller for large problems.
  bool oneOfMany = false;
  /// True if the plan is to tell how memory gets there, where the method has not told it anyway.
  bool story = true;
  /// True if methods that keep lists are to record all that these go through.
  bool record = false;
  /// Called now and then with a fraction done and a word; from the planning thread. May be empty.
  std::function<void(double, const std::string&)> progress{};
  /// The same for searches, in figures: the pool, and where its search stands.
  std::function<void(const std::string&, const ExactProgress&)> search{};
  /// Makes a plan faster; empty where it is not known how long a plan takes.
  Hasten hasten{};
};

/// A way to give every stay an address. Stateless: one instance may plan for many threads at once.
/// To write one, override `solve` and add a line to catalog.cpp.
class Allocator {
 public:
  virtual ~Allocator() = default;

  /// Solves `problem`. The story is complete if asked for, region sizes are tight, and the result
  /// has been validated. Fails only when the problem asks for what this allocator cannot do (pins,
  /// say), or on stop before there is any plan; "does not fit" is a status.
  Result<Plan> plan(const Problem& problem, const PlanContext& context) const;

  /// Why `stay` lies where `plan`, which this allocator made of `problem`, has put it: the chosen
  /// candidate is the plan's own address. Costs about one planning, of searches one sequence.
  Decision explain(const Problem& problem, const Plan& plan, StayId stay) const;

 private:
  /// Fills in addresses and status; may leave the story empty if there is none worth telling.
  virtual Result<Plan> solve(const Problem& problem, const PlanContext& context) const = 0;

  /// The same of a problem with constraints, the pool of every stay decided. Methods that do not
  /// override it look at lives alone: where these are not enough they refuse.
  virtual Result<Plan> solveConstrained(const Problem& problem, const PlanContext& context) const;

  /// Follows the decision for one stay again, which is not pinned. Offsets are inside the region.
  /// Nothing: the method keeps no account, and the finished plan has to speak for itself.
  virtual std::optional<Decision> recount(const Problem&, const Plan&, StayId) const {
    return std::nullopt;
  }
};

/// The end of `Allocator::plan`, after the strategy: fits regions, tells the story when there is
/// none and `story` asks for it, lowers a status that claims too much, and validates. For plans put
/// together from several.
Plan finishPlan(const Problem& problem, Plan plan, bool story = true);

}  // namespace hw
