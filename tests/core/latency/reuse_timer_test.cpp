#include "core/latency/reuse_timer.h"

#include <catch2/catch.hpp>

#include "core/latency/capacity_bound.h"
#include "core/latency/timed_packing.h"
#include "core/plan/metrics.h"
#include "core/sim/execute.h"
#include "tests/support/rounds.h"
#include "tests/support/timed_program.h"

using namespace hw;

namespace {

void checkAgainst(const Execution& run, const ReuseTimer& timer, SimTime makespan) {
  CHECK(makespan == run.makespan);
  bool same = true;
  for (const ActivityId id : run.times.keys()) {
    const auto index = static_cast<std::uint32_t>(id.index());
    same &= timer.startOf(index) == run.times[id].start && timer.endOf(index) == run.times[id].end;
  }
  CHECK(same);
}

/// From the first start to the last end of whoever touches the stay.
Interval<SimTime> openIn(const ReuseTimer& timer, const ActivityList& list, StayId stay) {
  Interval<SimTime> open{kMaxTime, SimTime()};
  for (const ActivityId id : list.activities.keys()) {
    for (const Access& access : list.activities[id].accesses) {
      if (access.stay != stay) continue;
      const auto number = static_cast<std::uint32_t>(id.index());
      open.begin = std::min(open.begin, timer.startOf(number));
      open.end = std::max(open.end, timer.endOf(number));
    }
  }
  return open;
}

/// The most bytes that are open at one time; what ends then is gone.
Bytes mostOpen(const Problem& problem, const std::vector<Interval<SimTime>>& open) {
  Bytes most;
  for (const auto& at : open) {
    Bytes sum;
    for (const StayId id : problem.stays.keys()) {
      const auto& other = open[id.index()];
      const bool then = other.begin <= at.begin && at.begin < other.end;
      if (then) sum += problem.stays[id].size;
    }
    most = std::max(most, sum);
  }
  return most;
}

Bytes percentOf(Bytes bytes, std::int64_t percent) { return Bytes(bytes.count() * percent / 100); }

bool isApart(const Problem& problem, const std::vector<Bytes>& offsets, StayId a, StayId b) {
  return offsets[a.index()] + problem.stays[a].size <= offsets[b.index()] ||
         offsets[b.index()] + problem.stays[b].size <= offsets[a.index()];
}

}  // namespace

TEST_CASE("the fast clock agrees with the simulator to the picosecond", "[latency][property]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 10 + seed % 30});
    const auto low = test::offsetsBy("greedy-by-size", program.problem);
    const ActivityList first = program.at(low);
    const TimedWork work(first, program.problem);
    ReuseTimer timer(work);
    for (const char* allocator : {"greedy-by-size", "idle-longest", "none", "best"}) {
      CAPTURE(allocator);
      const auto offsets = test::offsetsBy(allocator, program.problem);
      const ActivityList placed = program.at(offsets);
      const Waits waits = hazardsOf(placed);
      timer.place(offsets);
      checkAgainst(execute(placed, waits, placed.contention), timer, timer.contended());
      checkAgainst(execute(placed, waits, Contention::none), timer, timer.alone());
    }
    timer.placeApart();
    const Waits fewer = hazardsOf(first).without(WaitRule::reuse);
    checkAgainst(execute(first, fewer, first.contention), timer, timer.contended());
  }
}

TEST_CASE("a stay without a place is nobody's former tenant", "[latency]") {
  const auto program = test::randomTimedProgram(7, {});
  const auto offsets = test::offsetsBy("greedy-by-size", program.problem);
  const ActivityList placed = program.at(offsets);
  const TimedWork work(placed, program.problem);
  ReuseTimer timer(work);
  timer.place(std::vector<Bytes>(offsets.size(), ReuseTimer::kNowhere));
  const SimTime nowhere = timer.contended();
  timer.placeApart();
  CHECK(timer.contended() == nowhere);
}

TEST_CASE("a run that needs room has it, ends, and is above the bound", "[latency][property]") {
  int later = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 50, .steps = 30});
    const ActivityList list = program.at(test::offsetsBy("none", program.problem));
    const TimedWork work(list, program.problem);
    const std::vector<Bytes> room{
        percentOf(lowerBound(program.problem), 100 + 10 * static_cast<int>(seed % 4))};
    RoomGate gate(work, room);
    ReuseTimer timer(work);
    timer.placeApart();
    const SimTime apart = timer.contended();
    timer.placeApart();
    const SimTime latency = timer.gated(gate);
    std::vector<Interval<SimTime>> open;
    for (const StayId id : program.problem.stays.keys()) open.push_back(openIn(timer, list, id));
    for (const auto& each : open) CHECK(each.begin <= each.end);
    CHECK(mostOpen(program.problem, open) <= room.front());
    const std::vector<std::optional<Bytes>> capacities{room.front()};
    CHECK(capacityBound(work, capacities).time <= latency);
    later += latency > apart ? 1 : 0;
    CHECK(timer.gated(gate) == latency);
  }
  CHECK(later > test::atLeast(20));
}

TEST_CASE("with room for everything nobody waits for room", "[latency][property]") {
  for (const std::uint64_t seed : test::Seeds(30)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 40, .steps = 30});
    const ActivityList list = program.at(test::offsetsBy("none", program.problem));
    const TimedWork work(list, program.problem);
    Bytes sum;
    for (const Stay& stay : program.problem.stays) sum += stay.size;
    const std::vector<Bytes> room{sum};
    RoomGate gate(work, room);
    ReuseTimer timer(work);
    timer.placeApart();
    const SimTime latency = timer.gated(gate);
    CHECK(latency == timer.contended());
  }
}

TEST_CASE("a packing by time is a plan: live together, apart in bytes", "[latency][property]") {
  int found = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 40, .steps = 30});
    const Problem& problem = program.problem;
    const ActivityList list = program.at(test::offsetsBy("none", problem));
    const TimedWork work(list, problem);
    const std::vector<Bytes> capacities{percentOf(lowerBound(problem), 125)};
    ReuseTimer timer(work);
    const TimedPacking packing = packByTime(work, timer, capacities, 90);
    if (packing.offsets.empty()) continue;
    ++found;
    for (const StayId a : problem.stays.keys()) {
      CHECK(isAligned(packing.offsets[a.index()], problem.stays[a].alignment));
      CHECK(packing.offsets[a.index()] + problem.stays[a].size <= capacities.front());
      for (const StayId b : problem.stays.keys()) {
        const bool together = problem.stays[a].steps.overlaps(problem.stays[b].steps);
        if (b < a && together) CHECK(isApart(problem, packing.offsets, a, b));
      }
    }
  }
  CHECK(found > test::atLeast(20));
}
