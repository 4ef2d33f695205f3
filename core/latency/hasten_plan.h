#pragma once

#include "core/allocators/allocator.h"
#include "core/latency/latency_search.h"
#include "core/sim/activity_builder.h"
#include "core/sim/tensor_places.h"

namespace hw {

/// Stays and moves on a machine, and a search for the plan of them that ends soonest.
class TimedStays {
 public:
  /// Keeps references to what `input` refers to. Its plan is the lowest; all stays have addresses.
  explicit TimedStays(const SimulationInput& input);

  /// Why other addresses are not looked for; empty: they are.
  std::string_view settled() const { return settled_; }
  /// No plan within the capacities is faster.
  SimTime bound() const { return bound_.time; }
  /// Of the fastest plan that was found; before a search, nothing is.
  SimTime latency() const { return found_ ? found_->best.latency : kMaxTime; }

  /// Searches from the lowest plan, that of `idle-longest`, `plans` and what was found before, with
  /// `share` of the budget. For stays that are not settled, with one plan at least that fits.
  void search(const std::vector<TimedPlan>& plans, const PlanContext& context,
              const HasteLimits& limits, double share);

  /// Gives `plan`, which is one of these stays, the addresses of the fastest; a note and a table
  /// tell how they were found.
  void write(Plan& plan) const;

 private:
  const Problem& problem_;
  const Plan& lowest_;
  PlannedWork planned_;
  TimedWork work_;
  std::string_view settled_;
  LatencyBound bound_;
  std::optional<LatencySearchResult> found_;
  std::vector<LatencySample> history_;
};

/// Why stays are not moved for the latency's sake: they share bytes while they live, have
/// constraints, or are on a machine on which one thing follows the other. Empty: they are.
std::string_view cannotHasten(const Problem& problem, const ActivityList& list);

/// True if plans of the one are plans of the other: the same stays in the same pools, and moves.
bool hasSameStays(const Problem& a, const Problem& b);

/// Plans from which a search within the capacities of `problem` sets out: `lowest`, and that of
/// `idle-longest`, each if it fits. Both are finished plans.
std::vector<TimedPlan> latencyStarts(const Problem& problem, const Plan& lowest,
                                     const PlanContext& context);

/// "proved: no plan with these stays and moves within 10.55 MiB is faster than 28.94 ms", and how
/// near a search came to it.
std::string proofText(const Problem& problem, const LatencySearchResult& result);

/// By pool; nothing: unbounded.
std::vector<std::optional<Bytes>> capacitiesOf(const Problem& problem);

/// The offsets of the stays of `plan`, by stay; kNowhere where it says nothing.
std::vector<Bytes> offsetsOf(const Plan& plan);
/// Moves them.
void setOffsets(const std::vector<Bytes>& offsets, Plan& plan);

}  // namespace hw
