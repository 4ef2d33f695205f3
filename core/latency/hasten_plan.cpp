#include "core/latency/hasten_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/allocators/catalog.h"
#include "core/allocators/search_report.h"
#include "core/base/units.h"
#include "core/latency/reuse_timer.h"
#include "core/sim/activity_builder.h"

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

std::string_view cannotHasten(const Problem& problem, const ActivityList& list) {
  if (!problem.gaps.empty() || !problem.overlays.empty() || !problem.overlaps.empty()) {
    return "stays that share their bytes while they live are not moved for the latency's sake";
  }
  if (list.sequential()) {
    return "on this machine one thing follows the other: no addresses are faster than others";
  }
  return {};
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
  const std::string proof = fmt::format("proved: no plan of this order{} is faster", within);
  const std::string found = formatTime(result.best.latency, kFourDown);
  if (result.proved()) return fmt::format("{} by {}; {}", found, result.best.winner, proof);
  const double gap = static_cast<double>(result.best.latency.count()) /
                         static_cast<double>(result.bound.time.count()) -
                     1;
  return fmt::format("{} by {}; {} than {}, {:.2f} % less", found, result.best.winner, proof,
                     formatTime(result.bound.time, kFourDown), 100 * gap / (1 + gap));
}

void hastenPlan(const SimulationInput& input, const PlanContext& context, const HasteLimits& limits,
                Plan& plan) {
  const Problem& problem = input.problem;
  const PlannedWork planned = plannedWork(input);
  if (const auto reason = cannotHasten(problem, planned.list); !reason.empty()) {
    plan.notes.emplace_back(reason);
    return;
  }
  // Where the lowest does not fit, the planner spills more and asks again.
  if (!fitsIn(problem, offsetsOf(input.plan))) return;
  std::vector<TimedPlan> starts = latencyStarts(problem, input.plan, context);
  const TimedWork work(planned.list, problem);
  LatencySearchOptions options{.capacities = capacitiesOf(problem),
                               .looks = limits.looks,
                               .seconds = limits.seconds,
                               .seed = context.seed,
                               .stop = context.stop};
  std::vector<LatencySample> history;
  options.improved = [&](const LatencySample& sample) {
    history.push_back(sample);
    if (!context.progress) return;
    context.progress(0.5, fmt::format("{} by {}, bound {}", formatTime(sample.latency, kFourDown),
                                      sample.winner, formatTime(sample.bound, kFourDown)));
  };
  const LatencySearchResult found = searchLatency(work, std::move(starts), options);
  setOffsets(found.best.offsets, plan);
  plan.status = PlanStatus::complete;
  plan.notes = {proofText(problem, found)};
  addHistory(history, plan);
}

}  // namespace hw
