#include "core/latency/branch_bound.h"

#include <catch2/catch.hpp>

#include "core/latency/capacity_bound.h"
#include "core/latency/latency_search.h"
#include "core/latency/reuse_timer.h"
#include "core/plan/metrics.h"
#include "tests/support/every_plan.h"
#include "tests/support/rounds.h"
#include "tests/support/timed_program.h"

using namespace hw;

namespace {

constexpr std::int64_t kBytesASecond = 1'000'000'000'000;  // A byte a picosecond.

/// A unit each for computes and others, and a DMA engine beside them.
ActivityList threeEngines() {
  ActivityList list;
  list.engines = {{"mac", false}, {"vector", false}, {"dma", true}};
  list.devices = {{"npu", Issue::parallel}};
  return list;
}

/// Three bytes of which two, read by two units at once for 100 and 150 ps, make room for the third,
/// which is loaded within 80 ps.
test::TimedProgram oneOfTwoMakesRoom() {
  test::TimedProgram program;
  program.problem.pools = {{.name = "L2"}};
  program.problem.steps = Step(2);
  program.list = threeEngines();
  program.list.contention = Contention::none;
  const Interval<Step> steps[] = {{Step(0), Step(1)}, {Step(0), Step(1)}, {Step(1), Step(2)}};
  const std::int64_t times[] = {100, 150, 80};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const StayId stay =
        program.problem.stays.add({.buffer = BufferId(i), .steps = steps[i], .size = Bytes(1)});
    program.list.activities.add({.kind = i == 2 ? ActivityKind::load : ActivityKind::compute,
                                 .engine = i,
                                 .step = steps[i].begin,
                                 .compute = SimTime(times[i]),
                                 .accesses = {{stay, {Bytes(0), Bytes(1)}, true}}});
  }
  return program;
}

/// A load of 800 ps, which takes an eighth of the write port, beside computes that take all of it
/// for 320 ps.
test::TimedProgram loadBesideComputes(Contention contention) {
  test::TimedProgram program;
  program.problem.pools = {{.name = "L2"}};
  program.problem.steps = Step(4);
  program.list = threeEngines();
  program.list.contention = contention;
  program.list.ports = {{"write", 0, kBytesASecond}, {"far", kBytesASecond / 8, 0}};
  for (std::int64_t i = 0; i < 4; ++i) {
    Activity compute{.engine = 0, .step = Step(i), .ports = {{0, {}, Bytes(80)}}};
    program.list.activities.add(std::move(compute));
  }
  Activity load{.kind = ActivityKind::load, .engine = 2, .step = Step(3)};
  load.ports = {{1, Bytes(100), {}}, {0, {}, Bytes(100)}};
  program.list.activities.add(std::move(load));
  return program;
}

SimTime rootOf(const TimedWork& work, Bytes capacity) {
  return capacityBound(work, std::vector<std::optional<Bytes>>{capacity}).time;
}

}  // namespace

TEST_CASE("where one of two makes room, the earlier one bounds the latency", "[latency]") {
  const auto program = oneOfTwoMakesRoom();
  const ActivityList list = program.at({Bytes(0), Bytes(1), Bytes(0)});
  const TimedWork work(list, program.problem);
  ReuseTimer timer(work);
  timer.place(std::vector{Bytes(0), Bytes(1), Bytes(0)});
  const SimTime latency = timer.contended();
  REQUIRE(latency == SimTime(180));
  CHECK(rootOf(work, Bytes(2)) == SimTime(150));
  BranchOptions options{.capacities = {Bytes(2)}, .latency = kMaxTime};
  CHECK(branchedBound(work, options).time == latency);
}

TEST_CASE("loads and computes that slow each other down at a port take longer", "[latency]") {
  for (const Contention contention : {Contention::proportional, Contention::fair}) {
    CAPTURE(static_cast<int>(contention));
    const auto program = loadBesideComputes(contention);
    const ActivityList list = program.at({});
    const TimedWork work(list, program.problem);
    ReuseTimer timer(work);
    const SimTime latency = timer.contended();
    const SimTime bound = rootOf(work, Bytes(0));
    CHECK(bound <= latency);
    // 320 ps of computes take 360 beside the load, which does 320 of its 800 then.
    if (contention == Contention::proportional) {
      CHECK(latency == SimTime(840));
      CHECK(bound == SimTime(840));
    }
  }
}

TEST_CASE("no plan of tiny programs is below what branching proves, and most are met",
          "[latency][property]") {
  int met = 0;
  int tried = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    for (std::int64_t more = 0; more < 3; ++more) {
      CAPTURE(more);
      const auto program = test::randomTimedProgram(seed, {.stays = 6, .steps = 8, .maxSize = 4});
      const auto start = test::offsetsBy("best", program.problem);
      Bytes capacity(more);
      for (const StayId id : program.problem.stays.keys()) {
        capacity =
            std::max(capacity, start[id.index()] + program.problem.stays[id].size + Bytes(more));
      }
      const ActivityList list = program.at(start);
      const TimedWork work(list, program.problem);
      const SimTime least =
          test::EveryPlan(program.problem, work, capacity).least().value_or(kMaxTime);
      const SimTime root = rootOf(work, capacity);
      BranchOptions options{.capacities = {capacity}, .bound = root, .latency = kMaxTime};
      const BranchedBound open = branchedBound(work, options);
      CHECK(open.time <= least);
      CHECK(open.time >= root);
      options.latency = least;
      const BranchedBound closed = branchedBound(work, options);
      CHECK(closed.time <= least);
      CHECK(closed.nodes <= options.nodes + 1);
      met += isProved(least, closed.time) ? 1 : 0;
      ++tried;
    }
  }
  CHECK(met >= tried * 9 / 10);
}

TEST_CASE("branching stays below plans that allocators make", "[latency][property]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto program = test::randomTimedProgram(seed, {.stays = 6 + seed % 30, .steps = 20});
    const ActivityList list = program.at(test::offsetsBy("none", program.problem));
    const TimedWork work(list, program.problem);
    ReuseTimer timer(work);
    for (const char* allocator : {"greedy-by-size", "idle-longest", "none", "best"}) {
      CAPTURE(allocator);
      const auto offsets = test::offsetsBy(allocator, program.problem);
      Bytes capacity;
      for (const StayId id : program.problem.stays.keys()) {
        capacity = std::max(capacity, offsets[id.index()] + program.problem.stays[id].size);
      }
      timer.place(offsets);
      const SimTime latency = timer.contended();
      const BranchOptions options{.capacities = {capacity}, .latency = kMaxTime, .nodes = 20};
      CHECK(branchedBound(work, options).time <= latency);
    }
  }
}

TEST_CASE("without nodes, or stopped, branching leaves the bound that is known", "[latency]") {
  const auto program = test::randomTimedProgram(1, {.stays = 6, .steps = 8, .maxSize = 4});
  const ActivityList list = program.at(test::offsetsBy("best", program.problem));
  const TimedWork work(list, program.problem);
  BranchOptions options{.capacities = {Bytes(100)}, .bound = SimTime(7), .latency = kMaxTime};
  options.nodes = 0;
  CHECK(branchedBound(work, options).time == SimTime(7));
  options.latency = SimTime(5);
  CHECK(branchedBound(work, options).time == SimTime(5));
  std::stop_source source;
  source.request_stop();
  options = {.capacities = {Bytes(100)}, .latency = kMaxTime, .stop = source.get_token()};
  CHECK(branchedBound(work, options).nodes == 1);
}
