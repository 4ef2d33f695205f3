#include "core/latency/reuse_timer.h"

#include <catch2/catch.hpp>

#include "core/sim/execute.h"
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

}  // namespace

TEST_CASE("the fast clock agrees with the simulator to the picosecond", "[latency][property]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
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
