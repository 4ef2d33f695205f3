#include "core/run/run.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

namespace hw {

TEST_CASE("a plan without its simulation is the same plan", "[run]") {
  const std::uint64_t seed = GENERATE(range(1U, 6U));
  CAPTURE(seed);
  const Problem problem =
      test::randomProblem(seed, {.stays = 40, .alignedPercent = 30, .gapPercent = 20});
  const auto whole = test::runProblem(problem);
  REQUIRE(whole->trace.size() > 0);
  const auto once = executeOnce(*whole->model, whole->request, {.simulate = false});
  REQUIRE(once);
  const Run& run = **once;
  CHECK(run.plan.status == whole->plan.status);
  CHECK(run.plan.addresses == whole->plan.addresses);
  CHECK(run.problem.stays.size() == problem.stays.size());
  CHECK(run.metrics.lowerBound == whole->metrics.lowerBound);
  CHECK(run.metrics.reuse == whole->metrics.reuse);
  CHECK(run.metrics.pools[PoolId(0)].peak == whole->metrics.pools[PoolId(0)].peak);
  CHECK(run.trace.size() == 0);
  CHECK(run.timeline.empty());
  CHECK(run.model->problem->stays.empty());
}

TEST_CASE("an offline plan that nobody plays has no story", "[run]") {
  const auto whole = test::runProblem(test::randomProblem(1));
  RunRequest request = whole->request;
  request.allocator = *AllocatorChoice::parse("fast");
  const auto once = executeOnce(*whole->model, request, {.simulate = false});
  REQUIRE(once);
  CHECK((*once)->plan.story.empty());
  CHECK_FALSE(execute(whole->model, request, {}).value()->plan.story.empty());
}

}  // namespace hw
