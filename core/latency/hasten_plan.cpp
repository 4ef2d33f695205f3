#include "core/latency/hasten_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/allocators/catalog.h"
#include "core/allocators/search_report.h"
#include "core/base/text.h"
#include "core/latency/capacity_bound.h"
#include "core/latency/reuse_timer.h"
#include "core/plan/constraint_use.h"

namespace hw {
namespace {

/// So that what a proof leaves open can be seen, and a bound says no more than was proved.
constexpr UnitDigits kFourDown{.count = 4, .down = true};

bool fitsIn(const Problem& problem, const std::vector<Bytes>& offsets) {
  for (const StayId id : problem.stays.keys()) {
    const auto& capacity = problem.pools[problem.poolOf(id)].capacity;
    const Bytes offset = offsets[id.index()];
    if (offset < Bytes() || (capacity && offset + problem.stays[id].size > *capacity)) return false;
  }
  return true;
}

void addHistory(const std::vector<LatencySample>& history, Plan& plan) {
  MethodTable table{
      .name = std::string(kHasteTable),
      .summary =
          "the fastest plan so far and the proved bound, in picoseconds, as the search went "
          "on",
      .columns = {std::string(kWallTimeColumn), "latency", "bound", "looks", "made by"}};
  for (const LatencySample& each : history) {
    addRow(table, {static_cast<std::int64_t>(each.seconds * 1e6), each.latency.count(),
                   each.bound.count(), each.looks, each.winner});
  }
  plan.tables.push_back(std::move(table));
}

}  // namespace

std::string_view cannotHasten(const Problem& problem, const ActivityList& list) {
  if (!problem.gaps.empty() || !problem.overlays.empty() || !problem.overlaps.empty()) {
    return "stays that share their bytes while they live are not moved for the latency's sake";
  }
  if (isConstrained(problem)) {
    return "stays with constraints are not moved for the latency's sake";
  }
  if (list.sequential()) {
    return "on this machine one thing follows the other: no addresses are faster than others";
  }
  return {};
}

std::vector<std::optional<Bytes>> capacitiesOf(const Problem& problem) {
  std::vector<std::optional<Bytes>> capacities;
  for (const ProblemPool& pool : problem.pools) capacities.push_back(pool.capacity);
  return capacities;
}

std::vector<Bytes> offsetsOf(const Plan& plan) {
  std::vector<Bytes> offsets;
  for (const auto& offset : plan.flatOffsets()) {
    offsets.push_back(offset.value_or(ReuseTimer::kNowhere));
  }
  return offsets;
}

void setOffsets(const std::vector<Bytes>& offsets, Plan& plan) {
  for (const StayId id : plan.addresses.keys()) plan.addresses[id]->offset = offsets[id.index()];
}

std::vector<TimedPlan> latencyStarts(const Problem& problem, const Plan& lowest,
                                     const PlanContext& context) {
  std::vector<TimedPlan> starts;
  const auto add = [&](const Plan& plan, const char* name) {
    auto offsets = offsetsOf(plan);
    if (fitsIn(problem, offsets)) starts.push_back({.offsets = std::move(offsets), .winner = name});
  };
  add(lowest, "the lowest plan");
  const auto idle = (*findAllocator("idle-longest"))
                        ->make({})
                        ->plan(problem, {.stop = context.stop, .story = false});
  if (idle) add(*idle, "idle-longest");
  return starts;
}

std::string proofText(const Problem& problem, const LatencySearchResult& result) {
  std::vector<std::string> rooms;
  for (const ProblemPool& pool : problem.pools) {
    if (pool.capacity) rooms.push_back(formatBytes(*pool.capacity, kFourDown));
  }
  const std::string within =
      rooms.empty() ? "" : fmt::format(" within {}", fmt::join(rooms, " and "));
  const SimTime latency = result.best.latency;
  const SimTime bound = result.bound.time;
  const std::string text =
      fmt::format("{} by {}; proved{}: no plan with these stays and moves{} is faster",
                  formatTime(latency, kFourDown), result.best.winner,
                  latency > bound && result.proved() ? " to a millionth" : "", within);
  if (result.proved()) return text;
  const double less =
      static_cast<double>((latency - bound).count()) / static_cast<double>(latency.count());
  return fmt::format("{} than {}, {:.2f} % less{}", text, formatTime(bound, kFourDown), 100 * less,
                     result.near ? "; within a thousandth of that, and without reuse no faster, "
                                   "no more was searched"
                                 : "");
}

bool hasSameStays(const Problem& a, const Problem& b) {
  if (a.stays.size() != b.stays.size() || a.moves != b.moves || a.overlaps != b.overlaps ||
      a.overlays != b.overlays) {
    return false;
  }
  return std::ranges::all_of(a.stays.keys(), [&](StayId id) {
    const Stay& one = a.stays[id];
    const Stay& other = b.stays[id];
    return one.buffer == other.buffer && one.steps == other.steps && one.size == other.size &&
           one.alignment == other.alignment && one.pinned == other.pinned &&
           a.poolOf(id) == b.poolOf(id);
  });
}

TimedStays::TimedStays(const SimulationInput& input)
    : problem_(input.problem),
      lowest_(input.plan),
      planned_(plannedWork(input)),
      work_(planned_.list, problem_),
      settled_(cannotHasten(problem_, planned_.list)),
      bound_(settled_.empty() ? capacityBound(work_, capacitiesOf(problem_)) : LatencyBound()) {}

void TimedStays::search(const std::vector<TimedPlan>& plans, const PlanContext& context,
                        const HasteLimits& limits, double share) {
  std::vector<TimedPlan> starts = latencyStarts(problem_, lowest_, context);
  starts.insert(starts.end(), plans.begin(), plans.end());
  if (found_) starts.push_back(found_->best);
  const auto size = static_cast<std::int64_t>(work_.stays.size() + work_.activities.size());
  const std::int64_t looks = std::min(limits.looks, kLooksOfEach * size);
  LatencySearchOptions options{
      .capacities = capacitiesOf(problem_),
      .bound = found_ ? found_->bound : bound_,
      .looks = static_cast<std::int64_t>(static_cast<double>(looks) * share),
      .seconds = limits.seconds * share,
      .seed = context.seed,
      .stop = context.stop};
  // Of a second search the account goes on where that of the first ended.
  const LatencySample before = history_.empty() ? LatencySample() : history_.back();
  options.improved = [&](const LatencySample& sample) {
    LatencySample& now = history_.emplace_back(sample);
    now.seconds += before.seconds;
    now.looks += before.looks;
    if (!context.progress) return;
    context.progress(0.5, fmt::format("{} by {}, bound {}", formatTime(sample.latency, kFourDown),
                                      sample.winner, formatTime(sample.bound, kFourDown)));
  };
  found_ = searchLatency(work_, std::move(starts), options);
}

void TimedStays::write(Plan& plan) const {
  if (!found_) return;
  setOffsets(found_->best.offsets, plan);
  plan.status = PlanStatus::complete;
  plan.notes.insert(plan.notes.begin(), proofText(problem_, *found_));
  addHistory(history_, plan);
}

}  // namespace hw
