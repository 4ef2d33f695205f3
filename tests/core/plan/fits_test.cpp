#include <catch2/catch.hpp>

#include "core/report/plan/plan_text.h"
#include "core/run/figures.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/synthetic_problems.h"

namespace hw {

using namespace hw::literals;

TEST_CASE("a plan fits by what it takes, whatever its status says", "[fits]") {
  Problem problem = test::problemOf({{10, 0, 2}, {6, 1, 2}});
  Plan plan = test::planAt(problem, {0, 10});
  plan.status = GENERATE(PlanStatus::optimal, PlanStatus::complete, PlanStatus::overBudget,
                         PlanStatus::infeasible, PlanStatus::stopped);
  CHECK(fits(problem, plan));
  problem.pools[PoolId(0)].capacity = 16_B;
  CHECK(fits(problem, plan));
  problem.pools[PoolId(0)].capacity = 15_B;
  CHECK_FALSE(fits(problem, plan));
  CHECK_FALSE(fits(problem, test::planAt(problem, {0, -1})));
}

TEST_CASE("a search that was cut short is no failure if what it has fits", "[fits]") {
  const Problem problem = test::tileProblem(60, 1);
  const test::RunOptions options{.allocator = "exact:nodes=1,seconds=0"};
  const auto run = test::runProblem(problem, options);
  REQUIRE(run->plan.status == PlanStatus::stopped);
  CHECK(figuresOf(*run).fits);
  CHECK_FALSE(planFailure(*run));
  test::RunOptions tight = options;
  tight.l2 = 1;
  tight.l3 = 1;
  const auto over = test::runProblem(problem, tight);
  CHECK_FALSE(figuresOf(*over).fits);
  CHECK(planFailure(*over));
}

}  // namespace hw
