#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/residency/residency.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// Traffic of twice the size: written once, read once.
IdMap<StayId, Bytes> plainTraffic(const Problem& problem) {
  IdMap<StayId, Bytes> traffic;
  for (const Stay& stay : problem.stays) traffic.add(stay.size * 2);
  return traffic;
}

/// "2232": the level of each stay.
std::string levels(const Problem& problem, Bytes budget) {
  std::string text;
  for (const PoolId pool : wholeLife(problem, plainTraffic(problem), {budget, std::nullopt})) {
    text += pool == PoolId(0) ? '2' : '3';
  }
  return text;
}

}  // namespace

// A skip connection is idle while the branch runs: it saves least traffic per byte held.
//
//   step   0     1     2     3     4
//   a 60   x-----------------------x
//   b 40         x-----x
//   c 40               x-----x
//   d 40                     x-----x
TEST_CASE("a long skip connection gives way, and nothing else", "[residency]") {
  const Problem problem = test::problemOf({{60, 0, 5}, {40, 1, 2}, {40, 2, 3}, {40, 3, 4}});
  CHECK(levels(problem, 100_B) == "2222");
  CHECK(levels(problem, 99_B) == "3222");
  CHECK(levels(problem, 40_B) == "3222");
  CHECK(levels(problem, 39_B) == "3333");
  CHECK(levels(problem, 0_B) == "3333");
}

TEST_CASE("a stay that is used more often is worth more", "[residency]") {
  const Problem problem = test::problemOf({{10, 0, 2}, {10, 0, 2}});
  CHECK(levels(problem, 10_B) == "23");  // Ties go by id.
  IdMap<StayId, Bytes> traffic = plainTraffic(problem);
  traffic[StayId(1)] = 30_B;
  const Residency pools = wholeLife(problem, traffic, {10_B, std::nullopt});
  CHECK(pools[StayId(1)] == PoolId(0));
  CHECK(pools[StayId(0)] == PoolId(1));
}

TEST_CASE("the live sum in L2 never exceeds the budget, and nothing that fits is left out",
          "[residency][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    Problem problem = test::randomProblem(seed, {.stays = 40, .pools = 2});
    const Bytes budget = Bytes(test::Dice(seed).roll(0, 400));
    const auto pools = wholeLife(problem, plainTraffic(problem), {budget, std::nullopt});
    for (const StayId id : problem.stays.keys()) problem.stays[id].pool = pools[id];
    REQUIRE(lowerBound(problem, PoolId(0)) <= budget);
    for (const StayId id : problem.stays.keys()) {
      if (pools[id] == PoolId(0)) continue;
      Problem one = problem;
      one.stays[id].pool = PoolId(0);
      REQUIRE(lowerBound(one, PoolId(0)) > budget);
    }
  }
}

TEST_CASE("with room for everything nothing is spilled", "[residency]") {
  for (const std::uint64_t seed : test::Seeds(20)) {
    const Graph graph = test::randomGraph(seed, 30);
    const auto roomy = test::runGraph(graph, {.l2 = 1 << 20});
    CHECK(roomy->plan.footprint(PoolId(1)) == 0_B);
    const auto unbounded = test::runGraph(graph);
    CHECK(roomy->plan.addresses == unbounded->plan.addresses);
  }
}

TEST_CASE("an offline plan fits L2 however small it is, also after an overshoot",
          "[residency][property]") {
  int retried = 0;
  int spilled = 0;
  for (const char* allocator : {"greedy-by-size", "two-sided", "none", "free-list"}) {
    for (const std::uint64_t seed : test::Seeds(40)) {
      const Graph graph = test::randomGraph(seed, 30);
      const auto l2 = test::Dice(seed).roll(0, 300);
      CAPTURE(allocator, seed, l2);
      const auto run = test::runGraph(graph, {.allocator = allocator, .l2 = l2});
      REQUIRE(run->plan.footprint(PoolId(0)) <= Bytes(l2));
      REQUIRE(run->plan.status == PlanStatus::complete);
      REQUIRE(validate(run->problem, run->plan).empty());
      for (const std::string& note : run->plan.notes) {
        if (note.find("overshot") != std::string::npos) ++retried;
      }
      spilled += run->plan.footprint(PoolId(1)) > 0_B ? 1 : 0;
    }
  }
  CHECK(retried > 10);
  CHECK(spilled > test::atLeast(50));
}

TEST_CASE("L3 too small is over budget, and every address is still there", "[residency]") {
  const auto run = test::runGraph(test::residualGraph(), {.l2 = 40, .l3 = 8});
  CHECK(run->plan.status == PlanStatus::overBudget);
  CHECK(run->plan.footprint(PoolId(0)) <= 40_B);
  CHECK(run->plan.footprint(PoolId(1)) > 8_B);
  CHECK(validate(run->problem, run->plan).empty());
}
