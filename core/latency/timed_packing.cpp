#include "core/latency/timed_packing.h"

#include <algorithm>

#include "core/solver/fast/fast_search.h"

namespace hw {
namespace {

/// So often, more or less, every stay is placed before a packing is given up.
constexpr std::int64_t kTimesPlaced = 50;

/// When activities start and end in a run.
struct RunTimes {
  std::vector<SimTime> starts{};
  std::vector<SimTime> ends{};
};

/// As `timer` had them last.
RunTimes timesOf(const TimedWork& work, const ReuseTimer& timer) {
  const std::size_t count = work.activities.size();
  RunTimes run{std::vector<SimTime>(count), std::vector<SimTime>(count)};
  for (std::uint32_t i = 0; i < count; ++i) {
    run.starts[i] = timer.startOf(i);
    run.ends[i] = timer.endOf(i);
  }
  return run;
}

/// A run in which stays need room but no addresses; loads as late as holds up no other activity.
RunTimes roomyRun(const TimedWork& work, ReuseTimer& timer, std::span<const Bytes> rooms) {
  RoomGate gate(work, rooms);
  timer.placeApart();
  const SimTime end = timer.gated(gate);
  RunTimes run = timesOf(work, timer);
  std::vector<SimTime> latest(run.ends.size(), end);
  for (auto i = static_cast<std::uint32_t>(latest.size()); i-- > 0;) {
    const bool load = work.list.activities[ActivityId(i)].kind == ActivityKind::load;
    const SimTime later = load ? latest[i] - run.ends[i] : SimTime();
    run.starts[i] += later;
    run.ends[i] += later;
    timer.forEachOwnWait(
        i, [&](std::uint32_t other) { latest[other] = std::min(latest[other], run.starts[i]); });
  }
  return run;
}

/// When each step begins, ascending; one more than there are steps.
std::vector<SimTime> stepTimes(const TimedWork& work, const RunTimes& run) {
  Step steps;
  for (const TimedStay& stay : work.stays) steps = std::max(steps, stay.steps.end);
  std::vector<SimTime> times(static_cast<std::size_t>(steps.count()) + 1);
  for (const ActivityId id : work.list.activities.keys()) {
    const Activity& activity = work.list.activities[id];
    const auto step = static_cast<std::size_t>(activity.step.count());
    if (activity.kind == ActivityKind::compute && step < times.size()) {
      times[step] = std::max(times[step], run.starts[id.index()]);
    }
  }
  for (std::size_t i = 1; i < times.size(); ++i) {
    times[i] = std::max(times[i], times[i - 1] + SimTime(1));
  }
  return times;
}

/// The stays as rectangles whose width is when they are open in the run; those that are live at the
/// same step meet, too, else the plan would not be valid.
Problem timedProblem(const TimedWork& work, const RunTimes& run) {
  Problem problem;
  for (std::size_t i = 0; i < work.pools; ++i) problem.pools.add({});
  const std::vector<SimTime> steps = stepTimes(work, run);
  const auto timeOf = [&](Step step) { return steps[static_cast<std::size_t>(step.count())]; };
  for (std::uint32_t i = 0; i < work.stays.size(); ++i) {
    const TimedStay& stay = work.stays[i];
    SimTime begin = timeOf(stay.steps.begin);
    SimTime end = timeOf(stay.steps.end);
    for (const std::uint32_t entry : work.entries.of(i)) begin = std::min(begin, run.starts[entry]);
    for (const std::uint32_t exit : work.exits.of(i)) end = std::max(end, run.ends[exit]);
    problem.stays.add({.buffer = BufferId(i),
                       .steps = {Step(begin.count()), Step(end.count())},
                       .size = stay.size,
                       .alignment = stay.alignment,
                       .pool = stay.pool});
  }
  return problem;
}

}  // namespace

TimedPacking packByTime(const TimedWork& work, ReuseTimer& timer, std::span<const Bytes> capacities,
                        int percent) {
  std::vector<Bytes> rooms;
  for (const Bytes capacity : capacities) rooms.push_back(partOf(capacity, percent, 100));
  const RunTimes run = roomyRun(work, timer, rooms);
  const Problem problem = timedProblem(work, run);
  TimedPacking packing{.offsets = std::vector<Bytes>(work.stays.size())};
  for (const PoolId pool : problem.pools.keys()) {
    const Rectangles rectangles = rectanglesOf(problem, pool);
    if (rectangles.count() == 0) continue;
    const Bytes capacity = capacities[pool.index()];
    const auto count = static_cast<std::int64_t>(rectangles.count());
    const FastResult found =
        searchFast(rectangles, {.moves = kTimesPlaced * count, .bound = capacity});
    packing.looks += found.moves;
    if (found.peak > capacity) return {.looks = packing.looks};
    for (std::size_t i = 0; i < rectangles.count(); ++i) {
      packing.offsets[rectangles.stays[i].index()] = found.offsets[i];
    }
  }
  return packing;
}

std::int64_t packLow(const TimedWork& work, const ReuseTimer& timer, PoolId pool,
                     std::vector<Bytes>& offsets) {
  const Rectangles rectangles = rectanglesOf(timedProblem(work, timesOf(work, timer)), pool);
  if (rectangles.count() == 0) return 0;
  const auto count = static_cast<std::int64_t>(rectangles.count());
  const FastResult found =
      searchFast(rectangles, {.moves = kTimesPlaced * count, .bound = loadBound(rectangles)});
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    offsets[rectangles.stays[i].index()] = found.offsets[i];
  }
  return found.moves;
}

}  // namespace hw
