#include "core/plan/validate.h"

#include <algorithm>

#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::planAt;
using test::problemOf;

namespace {

/// The one message of a plan with one fault.
std::string onlyFault(const Problem& problem, const Plan& plan) {
  const auto found = validate(problem, plan);
  REQUIRE(found.size() == 1);
  return found[0].message;
}

// step   0     1     2
//  a 10  x-----x
//  b 20  x-----------x
//  c 10        x-----x      c reuses a's place
Problem threeStays() { return problemOf({{10, 0, 1}, {20, 0, 2}, {10, 1, 2}}); }

}  // namespace

TEST_CASE("a plan may reuse an address from the step its tenant is gone", "[validate]") {
  CHECK(validate(threeStays(), planAt(threeStays(), {0, 10, 0})).empty());
  CHECK(validate(Problem(), Plan()).empty());
}

TEST_CASE("two stays on the same bytes at the same step are named", "[validate]") {
  const auto found = validate(threeStays(), planAt(threeStays(), {0, 9, 29}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "stays 0 [0, 10) and 1 [9, 29) share bytes and steps");
  CHECK(found[0].a == StayId(0));
  CHECK(found[0].b == StayId(1));
}

TEST_CASE("bytes have their digits grouped in what validate says", "[validate]") {
  Problem problem = threeStays();
  for (Stay& stay : problem.stays) stay.size = stay.size * 1000;
  const auto found = validate(problem, planAt(problem, {0, 9'000, 29'000}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "stays 0 [0, 10,000) and 1 [9,000, 29,000) share bytes and steps");
}

TEST_CASE("validate names what is wrong with one address", "[validate]") {
  const Problem problem = threeStays();
  Plan plan = planAt(problem, {0, 10, 0});

  SECTION("missing, though the plan says it is whole") {
    plan.addresses[StayId(2)].reset();
    CHECK(onlyFault(problem, plan) == "stay 2 has no address, yet the plan says complete");
    plan.status = PlanStatus::stopped;
    CHECK(validate(problem, plan).empty());
  }
  SECTION("too few addresses") {
    plan.addresses.resize(2);
    CHECK(onlyFault(problem, plan) == "the plan has 2 addresses for 3 stays");
  }
  SECTION("outside its region") {
    plan.regions[PoolId(0)][RegionId(0)] = 29_B;
    CHECK(onlyFault(problem, plan) == "stay 1 ends at 30, outside its region of 29 bytes");
  }
  SECTION("negative, or so large that adding the size would overflow") {
    plan.addresses[StayId(2)]->offset = Bytes(-1);
    CHECK(onlyFault(problem, plan) == "stay 2 has offset -1, outside any memory");
    plan.addresses[StayId(2)]->offset = Bytes(std::numeric_limits<std::int64_t>::max());
    CHECK(validate(problem, plan).size() == 1);
  }
  SECTION("a region or pool that is not there") {
    plan.addresses[StayId(2)]->region = RegionId(1);
    CHECK(onlyFault(problem, plan) == "stay 2 is in a region that does not exist");
    plan.addresses[StayId(2)] = Address{PoolId(7), RegionId(0), 0_B};
    CHECK(onlyFault(problem, plan) == "stay 2 is in a pool that does not exist");
    plan.addresses[StayId(2)] = Address{};
    CHECK(onlyFault(problem, plan) == "stay 2 is in a pool that does not exist");
  }
}

TEST_CASE("validate holds a plan to what each stay asked for", "[validate]") {
  Problem problem = threeStays();
  problem.pools.add({.name = "L3"});
  Plan plan = planAt(problem, {0, 10, 0});

  SECTION("alignment") {
    problem.stays[StayId(1)].alignment = 4_B;
    CHECK(onlyFault(problem, plan) == "stay 1 at 10 is not a multiple of 4");
  }
  SECTION("alignment of the flat offset, when regions are laid one after the other") {
    problem.stays[StayId(1)].alignment = 4_B;
    plan.regions[PoolId(0)] = {10_B, 20_B};
    plan.addresses[StayId(1)] = Address{PoolId(0), RegionId(1), 0_B};
    CHECK(onlyFault(problem, plan) == "stay 1 at 10 is not a multiple of 4");
  }
  SECTION("a pin") {
    problem.stays[StayId(1)].pinned = 12_B;
    CHECK(onlyFault(problem, plan) == "stay 1 is pinned to 12, but is at 10");
  }
  SECTION("the pool") {
    problem.stays[StayId(1)].pool = PoolId(1);
    CHECK(onlyFault(problem, plan) == "stay 1 belongs in pool 1, but is in pool 0");
  }
}

TEST_CASE("stays in different pools or regions never clash", "[validate]") {
  Problem problem = problemOf({{10, 0, 1}, {10, 0, 1}});
  Plan plan = planAt(problem, {0, 0});
  CHECK(validate(problem, plan).size() == 1);

  plan.regions[PoolId(0)].add(10_B);
  plan.addresses[StayId(1)]->region = RegionId(1);
  CHECK(validate(problem, plan).empty());

  problem.pools.add({.name = "L3"});
  plan.regions.add({10_B});
  plan.addresses[StayId(1)] = Address{PoolId(1), RegionId(0), 0_B};
  CHECK(validate(problem, plan).empty());
}

// step   0     1     2     3
//  a 10  x-----x.....x-----x    idle in step 1
//  b 10        x-----x
TEST_CASE("a stay may be a guest in another one's gap, and only there", "[validate]") {
  Problem problem = problemOf({{10, 0, 3}, {10, 1, 2}});
  const Plan plan = planAt(problem, {0, 0});
  CHECK(validate(problem, plan).size() == 1);
  problem.gaps = {{StayId(0), {1_st, 2_st}}};
  CHECK(validate(problem, plan).empty());
  problem.stays[StayId(1)].steps.end = 3_st;
  CHECK(validate(problem, plan).size() == 1);
}

TEST_CASE("a status may not contradict the capacity", "[validate]") {
  Problem problem = threeStays();
  Plan plan = planAt(problem, {0, 10, 0});
  problem.pools[PoolId(0)].capacity = 30_B;
  CHECK(validate(problem, plan).empty());

  plan.status = PlanStatus::overBudget;
  CHECK(onlyFault(problem, plan) == "everything fits, yet the plan says over-budget");

  problem.pools[PoolId(0)].capacity = 29_B;
  CHECK(validate(problem, plan).empty());
  plan.status = PlanStatus::optimal;
  CHECK(onlyFault(problem, plan) == "pool 0 needs 30 bytes and has 29, yet the plan says optimal");
}

TEST_CASE("a plan that ran out of memory cannot be complete", "[validate]") {
  Plan plan = planAt(threeStays(), {0, 10, 0});
  plan.outOfMemory = OutOfMemory{};
  CHECK(onlyFault(threeStays(), plan) == "the plan ran out of memory, yet says complete");
}

TEST_CASE("a malformed problem is a finding, not a crash", "[validate]") {
  Problem problem = threeStays();
  Stay& stay = problem.stays[StayId(1)];
  SECTION("size") { stay.size = Bytes(GENERATE(0, -1, std::int64_t{1} << 62)); }
  SECTION("alignment") { stay.alignment = 0_B; }
  SECTION("steps") { stay.steps = {1_st, 1_st}; }
  SECTION("schedule") { stay.steps.end = 9_st; }
  SECTION("pool") { stay.pool = PoolId(3); }
  SECTION("gap outside") { problem.gaps = {{StayId(1), {1_st, 3_st}}}; }
  SECTION("gap of nobody") { problem.gaps = {{StayId(8), {0_st, 1_st}}}; }
  SECTION("gaps out of order") {
    problem.gaps = {{StayId(1), {1_st, 2_st}}, {StayId(1), {0_st, 1_st}}};
  }
  CHECK(validate(problem, planAt(threeStays(), {0, 10, 0})).size() == 1);
}

TEST_CASE("region sizes that overflow together do not hide an overrun", "[validate]") {
  Problem problem = threeStays();
  problem.pools[PoolId(0)].capacity = 100_B;
  Plan plan = planAt(problem, {0, 10, 0});
  for (int i = 0; i < 9; ++i) plan.regions[PoolId(0)].add(kMaxBytes);
  const auto found = validate(problem, plan);
  CHECK(std::ranges::any_of(found, [](const Violation& violation) {
    return violation.message.find("too large") != std::string::npos;
  }));
}

TEST_CASE("no more findings than asked for", "[validate]") {
  const Problem problem = test::randomProblem(1, {.stays = 50});
  const Plan plan = planAt(problem, std::vector<std::int64_t>(50, 0));
  CHECK(validate(problem, plan).size() > 7);
  CHECK(validate(problem, plan, 7).size() == 7);
  CHECK(validate(problem, plan, 0).empty());
}

TEST_CASE("the sweep finds a clash exactly when comparing all pairs does", "[validate][property]") {
  int clean = 0;
  int dirty = 0;
  for (const std::uint64_t seed : test::Seeds(1'000)) {
    test::Dice dice(seed * 7919);
    const auto stays = static_cast<std::size_t>(dice.roll(2, 12));
    const Problem problem =
        test::randomProblem(seed, {.stays = stays, .steps = 12, .maxSize = 8, .gapPercent = 50});
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < stays; ++i) offsets.push_back(dice.roll(0, 60));
    const Plan plan = planAt(problem, offsets);
    const auto expected = test::naiveClashes(problem, plan);
    const auto found = validate(problem, plan);
    REQUIRE(found.empty() == expected.empty());
    for (const Violation& violation : found) {
      REQUIRE(std::ranges::count(
                  expected, std::pair<StayId, StayId>(std::minmax(violation.a, violation.b))) == 1);
    }
    ++(found.empty() ? clean : dirty);
  }
  CHECK(clean > test::atLeast(100));
  CHECK(dirty > 100);
}

TEST_CASE("stacked stays are valid whatever they ask for", "[validate][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    const Problem problem = test::randomProblem(
        seed, {.alignedPercent = 50, .gapPercent = 20, .pools = 2, .assignedPercent = 50});
    CHECK(validate(problem, test::stackedPlan(problem)).empty());
  }
}
