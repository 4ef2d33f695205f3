// An output written over an input that dies in its op: what the judges accept, and what they tell.

#include "core/allocators/heap.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/support/draw.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::literals;

namespace {

//   step  0   1   2
//   a 10  |---|-- |      b begins where a ends: one step in common
//   b 10      |---|---|
Problem handOver(std::int64_t larger = 10, std::int64_t smaller = 10) {
  Problem problem = test::problemOf({{larger, 0, 2}, {smaller, 1, 3}});
  problem.overlays = {{StayId(0), StayId(1)}};
  return problem;
}

}  // namespace

TEST_CASE("a permitted overlay is valid, and only as the problem permits it", "[validate]") {
  Problem problem = handOver();
  CHECK(validate(problem, test::planAt(problem, {0, 0})).empty());
  CHECK(validate(problem, test::planAt(problem, {0, 10})).empty());
  SECTION("not without permission") {
    problem.overlays.clear();
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 0})).empty());
  }
  SECTION("not beginning elsewhere") {
    problem = handOver(10, 4);
    CHECK(validate(problem, test::planAt(problem, {0, 0})).empty());
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 4})).empty());
  }
  SECTION("not a larger output") {
    problem = handOver(4, 10);
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 0})).empty());
  }
  SECTION("not two over one") {
    problem.stays.add({.buffer = BufferId(2), .steps = {1_st, 3_st}, .size = 10_B});
    problem.overlays.push_back({StayId(0), StayId(2)});
    CHECK(validate(problem, test::planAt(problem, {0, 0, 10})).empty());
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 0, 0})).empty());
  }
  SECTION("not two over one that die at once either") {
    problem.stays[StayId(1)].steps.end = 2_st;
    problem.stays.add({.buffer = BufferId(2), .steps = {1_st, 2_st}, .size = 10_B});
    problem.overlays.push_back({StayId(0), StayId(2)});
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 0, 0})).empty());
  }
  SECTION("not where the input lives on") {
    problem.stays[StayId(0)].steps.end = 3_st;
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 0})).empty());
  }
  SECTION("not an output of the graph") {
    problem.stays[StayId(0)].outlives = true;
    CHECK_FALSE(validate(problem, test::planAt(problem, {0, 0})).empty());
  }
}

TEST_CASE("who lies over an input is still kept from all others", "[validate]") {
  Problem problem = handOver(10, 10);
  problem.stays.add({.buffer = BufferId(2), .steps = {1_st, 2_st}, .size = 5_B});
  problem.stays.add({.buffer = BufferId(3), .steps = {2_st, 3_st}, .size = 5_B});
  CHECK(validate(problem, test::planAt(problem, {0, 0, 10, 10})).empty());
  CHECK(validate(problem, test::planAt(problem, {0, 0, 5, 10})).size() == 1);
  CHECK(validate(problem, test::planAt(problem, {0, 0, 10, 5})).size() == 1);
}

TEST_CASE("the story of an overlay hands the bytes over as the op is done", "[story]") {
  Problem problem = handOver(10, 4);
  problem.stays.add({.buffer = BufferId(2), .steps = {1_st, 3_st}, .size = 3_B});
  Plan plan = test::planAt(problem, {0, 0, 10});
  plan.story = narrate(problem, plan);
  CHECK(test::memoryAt(plan, 0) == "a:10");
  CHECK(test::memoryAt(plan, 1) == "a:10 c:3");
  CHECK(test::memoryAt(plan, 2) == "b:4 |6 c:3");
  SECTION("and one that dies at once is gone as well") {
    problem.stays[StayId(1)].steps.end = 2_st;
    plan.story = narrate(problem, plan);
    CHECK(test::memoryAt(plan, 2) == "|10 c:3");
  }
}

TEST_CASE("bytes of an overlay count once", "[metrics]") {
  const Problem problem = handOver(10, 10);
  CHECK(lowerBound(problem) == 10_B);
  const PlanMetrics over = measure(problem, test::planAt(problem, {0, 0}));
  CHECK(over.pools[PoolId(0)].peakLive == 10_B);
  const PlanMetrics apart = measure(problem, test::planAt(problem, {0, 10}));
  CHECK(apart.pools[PoolId(0)].peakLive == 20_B);
}
