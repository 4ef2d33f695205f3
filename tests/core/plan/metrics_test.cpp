#include "core/plan/metrics.h"

#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::planAt;
using test::problemOf;

namespace {

/// "0:30 2:10 4:0".
std::string draw(const StepFunction& function) {
  std::string text;
  for (const auto& [from, value] : function.pieces) {
    text += (text.empty() ? "" : " ") + std::to_string(from.count()) + ":" +
            std::to_string(value.count());
  }
  return text;
}

}  // namespace

TEST_CASE("live bytes change only at steps where something begins or ends", "[metrics]") {
  // step   0     1     2     3     4
  //  a 10  x-----------x
  //  b 20        x-----x
  //  c 30              x-----------x    takes over exactly what a and b give up
  const Problem problem = problemOf({{10, 0, 2}, {20, 1, 2}, {30, 2, 4}});
  const StepFunction live = liveBytes(problem);
  CHECK(draw(live) == "0:10 1:30 4:0");
  CHECK(live.at(0_st) == 10_B);
  CHECK(live.at(3_st) == 30_B);
  CHECK(live.at(4_st) == 0_B);
  CHECK(live.at(Step(-1)) == 0_B);
  CHECK(live.max() == 30_B);
  CHECK(live.argMax() == 1_st);
}

TEST_CASE("nothing lives in an empty problem", "[metrics]") {
  CHECK(liveBytes(Problem()).pieces.empty());
  CHECK(lowerBound(Problem()) == 0_B);
  CHECK(StepFunction().argMax() == 0_st);
  CHECK(measure(Problem(), Plan()).gap() == 0);
}

TEST_CASE("a gap gives its bytes back", "[metrics]") {
  Problem problem = problemOf({{10, 0, 4}, {7, 1, 3}});
  CHECK(lowerBound(problem) == 17_B);
  problem.gaps = {{StayId(0), {1_st, 3_st}}};
  CHECK(draw(liveBytes(problem)) == "0:10 1:7 3:10 4:0");
  CHECK(lowerBound(problem) == 10_B);
}

TEST_CASE("each pool has its own bound, and together they have one", "[metrics]") {
  Problem problem = problemOf({{10, 0, 2}, {20, 0, 1}, {5, 1, 2}});
  problem.pools.add({.name = "L3"});
  problem.stays[StayId(1)].pool = PoolId(1);
  CHECK(lowerBound(problem, PoolId(0)) == 15_B);
  CHECK(lowerBound(problem, PoolId(1)) == 20_B);
  CHECK(lowerBound(problem) == 30_B);
}

TEST_CASE("sums of huge sizes stop at the largest size there is", "[metrics]") {
  Problem problem = problemOf({{1, 0, 2}});
  for (int i = 0; i < 100; ++i) {
    Stay stay = problem.stays[StayId(0)];
    stay.size = kMaxBytes;
    problem.stays.add(stay);
  }
  CHECK(lowerBound(problem) == kMaxBytes);
  CHECK(liveBytes(problem).at(2_st) == 0_B);
  const PlanMetrics metrics = measure(problem, planAt(problem, std::vector<std::int64_t>(101, 0)));
  CHECK(metrics.pools[PoolId(0)].sum == kMaxBytes);
}

TEST_CASE("fragmentation is measured below the highest live byte", "[metrics]") {
  // step      0     1     2     3
  //  d  10    |-----------|         [90, 100)
  //  c  30    |-----|               [60, 90)     hole of 30 from step 1
  //  b  10    |-----------------|   [50, 60)
  //  a  50    |-----|               [0, 50)      hole of 50 from step 1
  const Problem problem = problemOf({{50, 0, 1}, {10, 0, 3}, {30, 0, 1}, {10, 0, 2}});
  const PlanMetrics metrics = measure(problem, planAt(problem, {0, 50, 60, 90}));
  const PoolMetrics& pool = metrics.pools[PoolId(0)];
  CHECK(pool.peak == 100_B);
  CHECK(pool.sum == 100_B);
  CHECK(pool.peakLive == 100_B);
  CHECK(pool.peakStep == 0_st);
  CHECK(pool.atPeak.ratio() == 0);
  CHECK(pool.largestHole == 50_B);
  // Step 0: none. Step 1: 1 - 50/80. Step 2: one hole, so nothing is scattered.
  CHECK(pool.averageFragmentation == Approx((1 - 50.0 / 80) / 3));
  CHECK(metrics.reuse == 0);
  CHECK(metrics.gap() == 0);
}

TEST_CASE("the peak is where most bytes live, with its holes", "[metrics]") {
  // step     0     1     2
  //  a 10    |-----|             [0, 10)
  //  b 10    |-----------|       [10, 20)
  //  c  9          |-----|       [20, 29)
  //  d  4          |-----|       [2, 6)      holes [0, 2) and [6, 10)
  const Problem problem = problemOf({{10, 0, 1}, {10, 0, 2}, {9, 1, 2}, {4, 1, 2}});
  const PlanMetrics metrics = measure(problem, planAt(problem, {0, 10, 20, 2}));
  const PoolMetrics& pool = metrics.pools[PoolId(0)];
  CHECK(pool.peakStep == 1_st);
  CHECK(pool.atPeak.step == 1_st);
  CHECK(pool.atPeak.live == 23_B);
  CHECK(pool.atPeak.top == 29_B);
  CHECK(pool.atPeak.holes == 6_B);
  CHECK(pool.atPeak.largestHole == 4_B);
  CHECK(pool.atPeak.ratio() == Approx(1 - 4.0 / 6));
  CHECK(pool.averageFragmentation == Approx((1 - 4.0 / 6) / 2));
  CHECK(pool.gap() == Approx(29.0 / 23 - 1));
  CHECK(metrics.reuse == Approx(4.0 / 33));
}

TEST_CASE("the live peak and the highest address are two figures, each with its step",
          "[metrics]") {
  // step     0     1     2
  //  c  5                |-----|  [20, 25)
  //  b 10    |-----|              [10, 20)
  //  a 10    |-----|              [0, 10)
  const Problem problem = problemOf({{10, 0, 1}, {10, 0, 1}, {5, 2, 3}});
  const PlanMetrics metrics = measure(problem, planAt(problem, {0, 10, 20}));
  const PoolMetrics& pool = metrics.pools[PoolId(0)];
  CHECK(pool.peakLive == 20_B);
  CHECK(pool.peakStep == 0_st);
  CHECK(pool.peak == 25_B);
  CHECK(pool.atTop.step == 2_st);
  CHECK(pool.atTop.top == 25_B);
  CHECK(pool.atTop.live == 5_B);
}

TEST_CASE("a total adds footprints, and knows what is live in all memories at once", "[metrics]") {
  // a lives in one pool in steps 0 and 1, b in the other in steps 1 and 2; c is alone in step 3.
  Problem problem = problemOf({{10, 0, 2}, {6, 1, 3}, {12, 3, 4}});
  problem.pools.add({"L3", {}});
  Plan plan = planAt(problem, {0, 0, 0});
  plan.addresses[StayId(1)] = Address{PoolId(1), RegionId(0), 0_B};
  plan.regions[PoolId(0)] = {12_B};
  plan.regions.add({6_B});
  problem.stays[StayId(1)].pool = PoolId(1);
  const PlanMetrics metrics = measure(problem, plan);
  const PoolMetrics total = metrics.total();
  CHECK(total.peak == 18_B);
  CHECK(total.peakLive == 16_B);
  CHECK(total.peakStep == 1_st);
  CHECK(total.sum == 28_B);
  CHECK(total.stays == 3);
  CHECK(total.gap() == Approx(18.0 / 16 - 1));
  CHECK(metrics.gap() == total.gap());
}

TEST_CASE("long steps weigh as much as the steps they stand for", "[metrics]") {
  // Two holes of equal size (ratio 1/2) for 8 of 10 steps, everything live before and after.
  const Problem problem =
      problemOf({{10, 0, 1}, {10, 0, 10}, {10, 0, 1}, {10, 0, 10}, {10, 9, 10}, {10, 9, 10}});
  const PlanMetrics metrics = measure(problem, planAt(problem, {0, 10, 20, 30, 0, 20}));
  CHECK(metrics.pools[PoolId(0)].averageFragmentation == Approx(0.5 * 8 / 10));
}

TEST_CASE("coming back after a gap is no reuse", "[metrics]") {
  Problem problem = problemOf({{10, 0, 4}, {5, 4, 5}});
  problem.gaps = {{StayId(0), {1_st, 2_st}}};
  CHECK(measure(problem, planAt(problem, {0, 20})).reuse == 0);
  CHECK(measure(problem, planAt(problem, {0, 7})).reuse == Approx(3.0 / 15));
}

TEST_CASE("regions count one after the other", "[metrics]") {
  const Problem problem = problemOf({{10, 0, 2}, {20, 0, 1}, {5, 1, 2}});
  Plan plan = planAt(problem, {0, 0, 0});
  plan.regions[PoolId(0)] = {10_B, 20_B};
  plan.addresses[StayId(1)]->region = RegionId(1);
  plan.addresses[StayId(2)]->region = RegionId(1);
  const PlanMetrics metrics = measure(problem, plan);
  CHECK(metrics.pools[PoolId(0)].peak == 30_B);
  CHECK(metrics.pools[PoolId(0)].atPeak.holes == 0_B);
  CHECK(metrics.reuse == Approx(5.0 / 35));
}

TEST_CASE("stays without an address count for the bound, not for the pool", "[metrics]") {
  const Problem problem = problemOf({{10, 0, 2}, {20, 0, 1}});
  const PlanMetrics metrics = measure(problem, planAt(problem, {0, -1}));
  CHECK(metrics.pools[PoolId(0)].stays == 1);
  CHECK(metrics.pools[PoolId(0)].lowerBound == 10_B);
  CHECK(metrics.lowerBound == 30_B);
}

TEST_CASE("fast figures agree with counting step by step", "[metrics][property]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Problem problem = test::randomProblem(seed, {.gapPercent = 30});
    const Plan plan = test::stackedPlan(problem);
    const PoolMetrics pool = measure(problem, plan).pools[PoolId(0)];
    const StepFunction function = liveBytes(problem);
    Bytes peak;
    double weighted = 0;
    std::int64_t busy = 0;
    for (std::int64_t step = 0; step < problem.steps.count(); ++step) {
      std::vector<bool> used(static_cast<std::size_t>(plan.footprint(PoolId(0)).count()));
      Fragmentation now;
      for (const StayId id : problem.stays.keys()) {
        for (const Interval<Step>& live : problem.liveSteps(id)) {
          if (!live.contains(Step(step))) continue;
          now.live += problem.stays[id].size;
          const Bytes end = plan.addresses[id]->offset + problem.stays[id].size;
          now.top = std::max(now.top, end);
          for (Bytes at = plan.addresses[id]->offset; at < end; at += 1_B) {
            used[static_cast<std::size_t>(at.count())] = true;
          }
        }
      }
      Bytes run;
      for (std::size_t at = 0; at < static_cast<std::size_t>(now.top.count()); ++at) {
        run = used[at] ? 0_B : run + 1_B;
        now.largestHole = std::max(now.largestHole, run);
      }
      now.holes = now.top - now.live;
      REQUIRE(function.at(Step(step)) == now.live);
      peak = std::max(peak, now.live);
      if (now.live > 0_B) ++busy;
      weighted += now.ratio();
    }
    REQUIRE(pool.peakLive == peak);
    REQUIRE(pool.averageFragmentation == Approx(weighted / static_cast<double>(busy)));
  }
}

TEST_CASE("bytes live at a step are those of the step function", "[metrics][property]") {
  for (const std::uint64_t seed : test::Seeds(100)) {
    INFO("seed " << seed);
    const Problem problem = test::randomProblem(seed, {.gapPercent = 30, .pools = 2});
    const StepFunction live = liveBytes(problem);
    for (Step step; step < problem.steps; step += Step(1)) {
      CHECK(liveBytesAt(problem, step) == live.at(step));
    }
  }
}
