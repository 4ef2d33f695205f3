// Outputs that share bytes with their input while they are made: what the judges accept, what is
// told and what is counted.
#include <catch2/catch.hpp>

#include "core/allocators/heap.h"
#include "core/plan/measure_range.h"
#include "core/plan/metrics.h"
#include "core/plan/overlap_use.h"
#include "core/plan/validate.h"
#include "core/trace/timeline.h"
#include "tests/support/problems.h"

using namespace hw;

namespace {

/// x of 8 bytes at steps 0 and 1, y of 6 at steps 1 and 2: y may begin 2 or more below x, or 5 or
/// more above it.
Problem pair() {
  Problem problem;
  problem.pools.add({.name = "L2"});
  problem.steps = Step(3);
  problem.stays.add({.buffer = BufferId(0), .steps = {Step(0), Step(2)}, .size = Bytes(8)});
  problem.stays.add({.buffer = BufferId(1), .steps = {Step(1), Step(3)}, .size = Bytes(6)});
  problem.overlaps = {{StayId(0), StayId(1), Bytes(2), Bytes(5)}};
  return problem;
}

Plan planAt(const Problem& problem, std::initializer_list<std::int64_t> offsets) {
  Plan plan;
  Bytes top;
  for (const std::int64_t offset : offsets) {
    const StayId id(plan.addresses.size());
    plan.addresses.add(Address{PoolId(0), RegionId(0), Bytes(offset)});
    top = std::max(top, Bytes(offset) + problem.stays[id].size);
  }
  plan.regions.add({top});
  return plan;
}

bool valid(const Problem& problem, std::initializer_list<std::int64_t> offsets) {
  return validate(problem, planAt(problem, offsets)).empty();
}

}  // namespace

TEST_CASE("an overlap is valid from its distance on, either way", "[plan][overlap]") {
  Problem problem = pair();
  for (std::int64_t x = 0; x <= 20; ++x) {
    for (std::int64_t y = 0; y <= 20; ++y) {
      CAPTURE(x, y);
      CHECK(valid(problem, {x, y}) == (y + 2 <= x || y >= x + 5));
    }
  }
  problem.overlaps[0].down.reset();
  CHECK(valid(problem, {2, 0}));
  CHECK_FALSE(valid(problem, {0, 5}));
  CHECK(valid(problem, {0, 8}));
  problem.overlaps.clear();
  CHECK_FALSE(valid(problem, {2, 0}));
}

TEST_CASE("what lies beside an overlap keeps its bytes", "[plan][overlap]") {
  // z lives all the time. x at 4-11 and y at 2-7 leave 8-11 to x while y is made.
  Problem problem = pair();
  problem.stays.add({.buffer = BufferId(2), .steps = {Step(0), Step(3)}, .size = Bytes(2)});
  CHECK(valid(problem, {4, 2, 0}));
  CHECK(valid(problem, {4, 2, 12}));
  CHECK_FALSE(valid(problem, {4, 2, 11}));
  CHECK_FALSE(valid(problem, {4, 2, 7}));
  CHECK_FALSE(valid(problem, {4, 2, 1}));
}

TEST_CASE("parts overlap as long as both are there", "[plan][overlap]") {
  // x of 8 bytes at steps 0 to 3, y of 6 at steps 1 to 5.
  Problem problem = pair();
  problem.steps = Step(6);
  problem.stays[StayId(0)].steps.end = Step(4);
  problem.stays[StayId(1)].steps.end = Step(6);
  CHECK_FALSE(valid(problem, {2, 0}));
  problem.overlaps[0].parts = true;
  for (std::int64_t x = 0; x <= 20; ++x) {
    for (std::int64_t y = 0; y <= 20; ++y) {
      CAPTURE(x, y);
      CHECK(valid(problem, {x, y}) == (y + 2 <= x || y >= x + 5));
    }
  }
  CHECK(lowerBound(problem) == Bytes(10));
  const Plan plan = planAt(problem, {2, 0});
  for (const std::int64_t step : {0, 1, 2, 3, 4, 5}) {
    CAPTURE(step);
    const Bytes live(step == 0 ? 8 : step < 4 ? 10 : 6);
    CHECK(liveBytes(problem, plan).at(Step(step)) == live);
    CHECK(liveBytesAt(problem, plan, Step(step)) == live);
    const Interval<Step> one{Step(step), Step(step + 1)};
    CHECK(measureRange(problem, plan, one).pools[PoolId(0)].peakLive == live);
  }
  CHECK(measure(problem, plan).pools[PoolId(0)].peakLive == Bytes(10));
  // What x has left is its own until it goes.
  problem.stays.add({.buffer = BufferId(2), .steps = {Step(3), Step(4)}, .size = Bytes(2)});
  CHECK_FALSE(valid(problem, {2, 0, 8}));
  CHECK(valid(problem, {2, 0, 10}));
  problem.stays[StayId(2)].steps = {Step(4), Step(5)};
  CHECK(valid(problem, {2, 0, 6}));
  // It has to be gone first, and may have no gaps.
  problem.stays[StayId(0)].steps.end = Step(6);
  CHECK(valid(problem, {2, 0, 10}));
  problem.stays[StayId(1)].steps.end = Step(5);
  CHECK_FALSE(valid(problem, {2, 0, 10}));
  problem.stays[StayId(1)].steps.end = Step(6);
  problem.gaps = {{StayId(0), {Step(2), Step(3)}}};
  CHECK_FALSE(valid(problem, {2, 0, 10}));
}

TEST_CASE("permissions that make no sense are found", "[plan][overlap]") {
  const auto broken = [](const auto& breakIt) {
    Problem problem = pair();
    breakIt(problem);
    return !validate(problem, planAt(problem, {8, 0})).empty();
  };
  CHECK_FALSE(broken([](Problem&) {}));
  CHECK(broken([](Problem& p) { p.overlaps[0].under = StayId(7); }));
  CHECK(broken([](Problem& p) { p.overlaps[0].under = StayId(1); }));
  CHECK(broken([](Problem& p) { p.overlaps[0].up = Bytes(-1); }));
  CHECK(broken([](Problem& p) { p.stays[StayId(0)].steps.end = Step(1); }));
  CHECK(broken([](Problem& p) { p.stays[StayId(0)].outlives = true; }));
  CHECK(broken([](Problem& p) { p.overlaps.push_back(p.overlaps[0]); }));
}

TEST_CASE("the lower bound counts each pair as near as it may be", "[plan][overlap]") {
  Problem problem = pair();
  // 2 below: 0-5 and 2-9, ten bytes. 5 above: 0-7 and 5-10, eleven.
  CHECK(lowerBound(problem) == Bytes(10));
  CHECK(mostShared(problem, problem.overlaps[0]) == Bytes(4));
  problem.overlaps[0].up.reset();
  CHECK(lowerBound(problem) == Bytes(11));
  CHECK(lowerBound(problem, PoolId(0)) == Bytes(11));
  problem.overlaps.clear();
  CHECK(lowerBound(problem) == Bytes(14));
}

TEST_CASE("shared bytes are in use once", "[plan][overlap]") {
  const Problem problem = pair();
  const PlanMetrics near = measure(problem, planAt(problem, {2, 0}));
  CHECK(near.pools[PoolId(0)].peakLive == Bytes(10));
  CHECK(near.pools[PoolId(0)].lowerBound == Bytes(10));
  CHECK(near.pools[PoolId(0)].atPeak.holes == Bytes());
  CHECK(near.gap() == 0);
  // A plan that does not use the permission does not raise the bound.
  const PlanMetrics apart = measure(problem, planAt(problem, {6, 0}));
  CHECK(apart.pools[PoolId(0)].peakLive == Bytes(14));
  CHECK(apart.pools[PoolId(0)].lowerBound == Bytes(10));
  const PlanMetrics part = measureRange(problem, planAt(problem, {2, 0}), {Step(1), Step(2)});
  CHECK(part.pools[PoolId(0)].peakLive == Bytes(10));
}

TEST_CASE("the input shrinks before the op and goes after it", "[plan][overlap]") {
  const Problem problem = pair();
  const Plan plan = planAt(problem, {2, 0});
  const auto story = narrate(problem, plan);
  ChunkMap map;
  std::vector<std::string> states;
  for (const MemoryEvent& event : story) {
    map.apply(event);
    if (event.kind != EventKind::alloc && event.kind != EventKind::free) continue;
    std::string state = std::to_string(event.step) + ":";
    for (const Chunk& chunk : map.chunks(RegionId(0))) {
      state += " " +
               std::string(chunk.isFree()             ? "-"
                           : chunk.owner == StayId(0) ? "x"
                                                      : "y") +
               std::to_string(chunk.size.count());
    }
    states.push_back(state);
  }
  CHECK(states == std::vector<std::string>{"0: -2 x8", "1: -2 -8", "1: -6 x4", "1: y6 x4",
                                           "1: y6 -4", "2: -6 -4"});
  for (auto event = story.rbegin(); event != story.rend(); ++event) map.revert(*event);
  CHECK(map.footprint() == Bytes());
  CHECK_FALSE(describe(story, 1).empty());
}

TEST_CASE("an input that lies all under its output has nothing left", "[plan][overlap]") {
  Problem problem = pair();
  problem.stays[StayId(1)].size = Bytes(20);
  const Plan plan = planAt(problem, {2, 0});
  CHECK(validate(problem, plan).empty());
  CHECK(restOf(problem, plan, problem.overlaps[0]).empty());
  ChunkMap map;
  for (const MemoryEvent& event : narrate(problem, plan)) map.apply(event);
  CHECK(map.inUse() == Bytes());
  CHECK(measure(problem, plan).pools[PoolId(0)].peakLive == Bytes(20));
}
