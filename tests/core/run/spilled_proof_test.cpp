// What a proof is worth once something was spilled.
#include <catch2/catch.hpp>

#include "tests/support/methods.h"

using namespace hw;
using namespace hw::test;

namespace {

RunRequest boundedBy(std::int64_t l2, std::int64_t l3) {
  RunRequest request = workedRequest("exact");
  request.l2 = {PoolSize::Kind::bytes, Bytes(l2)};
  request.l3 = {PoolSize::Kind::bytes, Bytes(l3)};
  return request;
}

}  // namespace

// x4, t0 16, t1 10, t2 5, y2 in a row: 26 bytes are live at step 1.
TEST_CASE("a spilled plan is called optimal only where no choice of spills is better",
          "[planner]") {
  const auto whole = mustRun(sample("chain"), boundedBy(26, 64));
  CHECK(whole->plan.status == PlanStatus::optimal);
  CHECK(whole->plan.footprint(PoolId(1)) == Bytes());
  const auto spilled = mustRun(sample("chain"), boundedBy(17, 64));
  REQUIRE(spilled->plan.footprint(PoolId(1)) > Bytes());
  const Bytes sum = spilled->plan.footprint(PoolId(0)) + spilled->plan.footprint(PoolId(1));
  CHECK((spilled->plan.status == PlanStatus::optimal) == (sum == Bytes(26)));
}

TEST_CASE("impossible is what no choice of spills can make fit", "[planner]") {
  const auto run = mustRun(sample("chain"), boundedBy(12, 8));
  CHECK(run->metrics.lowerBound == Bytes(26));
  CHECK(run->plan.status == PlanStatus::infeasible);
  // 28 bytes for 26: what is spilled first does not fit below 10, but that proves nothing.
  const auto tight = mustRun(sample("chain"), boundedBy(18, 10));
  CHECK(tight->plan.status != PlanStatus::infeasible);
}
