// The small figures that the source of the free-list method works with, drawn.

#include "core/allocators/catalog.h"
#include "core/plan/validate.h"
#include "tests/support/draw.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::literals;
using test::memoryAt;
using test::problemOf;

namespace {

Plan freeList(const Problem& problem, const std::string& parameters = "") {
  const auto choice = test::must(AllocatorChoice::parse("free-list" + parameters));
  return test::must(choice.make()->plan(problem, {}));
}

}  // namespace

TEST_CASE("16 bytes released serve 10 and then 5, above a threshold of 4", "[free_list]") {
  // step   0    1    2    3
  //  a 16  x----x
  //  b 10       x---------x
  //  c  5            x----x
  const Plan plan = freeList(problemOf({{16, 0, 1}, {10, 1, 3}, {5, 2, 3}}), ":threshold=4");
  CHECK(memoryAt(plan, 1) == "b:10 |6");
  CHECK(memoryAt(plan, 2) == "b:10 c:5 |1");
  CHECK(plan.footprint(PoolId(0)) == 16_B);
}

TEST_CASE("what is no larger than the threshold takes memory never used", "[free_list]") {
  const Problem problem = problemOf({{16, 0, 1}, {4, 1, 2}});
  CHECK(memoryAt(freeList(problem, ":threshold=4"), 1) == "|16 b:4");
  CHECK(memoryAt(freeList(problem, ":threshold=3"), 1) == "b:4 |12");
}

TEST_CASE("10 bytes free and 2 wanted leave 8", "[free_list]") {
  CHECK(memoryAt(freeList(problemOf({{10, 0, 1}, {2, 1, 2}})), 1) == "b:2 |8");
}

TEST_CASE("4 bytes free at the frontier grow by 6 to serve 10", "[free_list]") {
  // step  0   1   2
  //  a 2  x---x
  //  b 1  x-------x
  //  c 4  x---x
  //  d 10     x---x     neither 2 nor 4 will do
  const Plan plan = freeList(problemOf({{2, 0, 1}, {1, 0, 2}, {4, 0, 1}, {10, 1, 2}}));
  CHECK(memoryAt(plan, 1) == "|2 b:1 d:10");
  CHECK(plan.footprint(PoolId(0)) == 13_B);
}

TEST_CASE("2 bytes released between free 2 and free 6 make one block of 10", "[free_list]") {
  // step  0   1   2   3
  //  a 2  x---x
  //  b 2  x-------x
  //  c 6  x---x
  //  d 1  x-----------x
  //  e 10         x---x
  const Plan plan = freeList(problemOf({{2, 0, 1}, {2, 0, 2}, {6, 0, 1}, {1, 0, 3}, {10, 2, 3}}));
  CHECK(memoryAt(plan, 1) == "|2 b:2 |6 d:1");
  CHECK(memoryAt(plan, 2) == "e:10 d:1");
}

TEST_CASE("100, 10 and 50 with the 100 dead keep an arena of 100", "[free_list]") {
  const Plan plan = freeList(problemOf({{100, 0, 1}, {10, 1, 3}, {50, 2, 3}}));
  CHECK(memoryAt(plan, 2) == "b:10 c:50 |40");
  CHECK(plan.footprint(PoolId(0)) == 100_B);
}

TEST_CASE("an exact fit goes before the largest block, the lowest of equals", "[free_list]") {
  // free: 5, 20, 5 around pinning b and d
  const Problem problem =
      problemOf({{5, 0, 1}, {1, 0, 2}, {20, 0, 1}, {1, 0, 2}, {5, 0, 1}, {1, 0, 2}, {5, 1, 2}});
  CHECK(memoryAt(freeList(problem), 1) == "g:5 b:1 |20 d:1 |5 f:1");
}

TEST_CASE("pick decides which larger block is split", "[free_list]") {
  const Problem problem = problemOf({{9, 0, 1}, {1, 0, 2}, {20, 0, 1}, {1, 0, 2}, {4, 1, 2}});
  CHECK(memoryAt(freeList(problem, ":pick=largest"), 1) == "|9 b:1 e:4 |16 d:1");
  CHECK(memoryAt(freeList(problem, ":pick=best"), 1) == "e:4 |5 b:1 |20 d:1");
}

TEST_CASE("only the largest block is extended, and only at the frontier", "[free_list]") {
  // The tail of 4 could grow, but the largest free block is the 6 below: fresh memory it is.
  const Problem problem = problemOf({{6, 0, 1}, {1, 0, 2}, {4, 0, 1}, {10, 1, 2}});
  CHECK(memoryAt(freeList(problem), 1) == "|6 b:1 |4 d:10");
}

TEST_CASE("L2 full goes to L3, and L3 full is out of memory", "[free_list]") {
  Problem problem = problemOf({{6, 0, 2}, {6, 0, 2}, {6, 1, 2}});
  problem.pools[PoolId(0)].capacity = 10_B;
  problem.pools.add({.name = "L3", .capacity = 20_B});
  const Plan plan = freeList(problem);
  CHECK(plan.status == PlanStatus::complete);
  CHECK(memoryAt(plan, 1, PoolId(0)) == "a:6");
  CHECK(memoryAt(plan, 1, PoolId(1)) == "b:6 c:6");

  problem.pools[PoolId(1)].capacity = 11_B;
  const Plan failed = freeList(problem);
  CHECK(failed.status == PlanStatus::overBudget);
  REQUIRE(failed.outOfMemory);
  CHECK(failed.outOfMemory->stay == StayId(2));
  CHECK(failed.outOfMemory->step == 1_st);
  CHECK(failed.outOfMemory->wanted == 6_B);
  REQUIRE(failed.outOfMemory->pools.size() == 2);
  CHECK(failed.outOfMemory->pools[0].freeBytes == 4_B);
  CHECK(failed.outOfMemory->pools[1].largestFree == 5_B);
  CHECK(validate(problem, failed).empty());
}
