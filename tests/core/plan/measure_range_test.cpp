#include "core/plan/measure_range.h"

#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::literals;
using test::planAt;
using test::problemOf;

TEST_CASE("a range is measured as if nothing else existed", "[metrics]") {
  // step   0     1     2     3     4
  //  a 10  x-----------x                 [0, 10)
  //  b 20        x-----x                 [10, 30)
  //  c 30              x-----------x     [0, 30)
  const Problem problem = problemOf({{10, 0, 2}, {20, 1, 2}, {30, 2, 4}});
  const Plan plan = planAt(problem, {0, 10, 0});
  const auto first = measureRange(problem, plan, {0_st, 1_st}).pools[PoolId(0)];
  CHECK(first.peak == 10_B);
  CHECK(first.lowerBound == 10_B);
  CHECK(first.stays == 1);
  const auto middle = measureRange(problem, plan, {1_st, 3_st}).pools[PoolId(0)];
  CHECK(middle.peak == 30_B);
  CHECK(middle.sum == 60_B);
  CHECK(middle.peakStep == 1_st);
  CHECK(measureRange(problem, plan, {3_st, 4_st}).reuse == 0);
}

TEST_CASE("an empty range has nothing in it", "[metrics]") {
  const Problem problem = problemOf({{10, 0, 2}});
  const auto pool = measureRange(problem, planAt(problem, {0}), {5_st, 9_st}).pools[PoolId(0)];
  CHECK(pool.peak == 0_B);
  CHECK(pool.stays == 0);
}

TEST_CASE("the range that is the whole run is measured like the run", "[metrics]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{20}));
  CAPTURE(seed);
  const Problem problem = test::randomProblem(seed, {.gapPercent = 30});
  const Plan plan = test::stackedPlan(problem);
  const PlanMetrics whole = measure(problem, plan);
  const PlanMetrics ranged = measureRange(problem, plan, {0_st, problem.steps});
  const PoolMetrics& a = whole.pools[PoolId(0)];
  const PoolMetrics& b = ranged.pools[PoolId(0)];
  CHECK(a.peak == b.peak);
  CHECK(a.lowerBound == b.lowerBound);
  CHECK(a.sum == b.sum);
  CHECK(a.peakStep == b.peakStep);
  CHECK(a.averageFragmentation == Approx(b.averageFragmentation));
  CHECK(whole.reuse == Approx(ranged.reuse));
}

TEST_CASE("a range holds what a walk through its steps sees", "[metrics]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{40}));
  const Problem problem = test::randomProblem(seed, {.gapPercent = 30});
  const Plan plan = test::stackedPlan(problem);
  test::Dice random(seed);
  const Step begin(random.roll(0, problem.steps.count() - 1));
  const Step end(random.roll(begin.count() + 1, problem.steps.count()));
  CAPTURE(seed, begin.count(), end.count());
  Bytes mostLive;
  Bytes top;
  for (Step step = begin; step < end; step += 1_st) {
    Bytes live;
    for (const StayId stay : problem.stays.keys()) {
      for (const Interval<Step>& steps : problem.liveSteps(stay)) {
        if (!steps.contains(step)) continue;
        live += problem.stays[stay].size;
        top = std::max(top, plan.addresses[stay]->offset + problem.stays[stay].size);
      }
    }
    mostLive = std::max(mostLive, live);
  }
  const auto pool = measureRange(problem, plan, {begin, end}).pools[PoolId(0)];
  CHECK(pool.peak == top);
  CHECK(pool.peakLive == mostLive);
  CHECK(pool.lowerBound == mostLive);
}

TEST_CASE("what was written over its input before the range owes it nothing inside", "[metrics]") {
  // b is written over a in step 1; from step 1 on they share its bytes, from 2 on only b is left.
  Problem problem = problemOf({{10, 0, 2}, {10, 1, 4}});
  problem.overlays = {{StayId(0), StayId(1)}};
  const Plan plan = planAt(problem, {0, 0});
  CHECK(measureRange(problem, plan, {1_st, 4_st}).pools[PoolId(0)].peakLive == 10_B);
  CHECK(measureRange(problem, plan, {2_st, 4_st}).pools[PoolId(0)].peakLive == 10_B);
  CHECK(cutToRange(problem, plan, {2_st, 4_st}).problem.overlays.empty());
}
