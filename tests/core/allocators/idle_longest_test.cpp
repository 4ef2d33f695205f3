#include <algorithm>
#include <catch2/catch.hpp>

#include "core/allocators/catalog.h"
#include "core/plan/metrics.h"
#include "core/solver/orders.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

Plan planned(const Problem& problem) {
  return AllocatorChoice::parse("idle-longest").value().make()->plan(problem, {}).value();
}

/// Four stays of 10 bytes, each live for two steps from where the one before began.
Problem chain(std::optional<Bytes> capacity) {
  Problem problem;
  problem.pools = {{.name = "L2", .capacity = capacity}};
  for (std::int64_t i = 0; i < 4; ++i) {
    problem.stays.add({.buffer = BufferId(static_cast<std::size_t>(i)),
                       .steps = {Step(i), Step(i + 2)},
                       .size = Bytes(10)});
  }
  problem.steps = Step(5);
  return problem;
}

std::vector<std::int64_t> offsetsOf(const Plan& plan) {
  std::vector<std::int64_t> offsets;
  for (const auto& address : plan.addresses) offsets.push_back(address->offset.count());
  return offsets;
}

}  // namespace

// step      0   1   2   3   4        capacity 30
//  20               c   c            nobody was ever there: before the bytes of a
//  10           b   b
//   0       a   a       d   d        of a and b the bytes of a are idle longer
TEST_CASE("bytes that are idle longest are taken first", "[allocators]") {
  CHECK(offsetsOf(planned(chain(Bytes(30)))) == std::vector<std::int64_t>{0, 10, 20, 0});
}

TEST_CASE("without a capacity the live peak is all that is used", "[allocators]") {
  const Plan plan = planned(chain(std::nullopt));
  CHECK(offsetsOf(plan) == std::vector<std::int64_t>{0, 10, 0, 10});
  CHECK(plan.footprint(PoolId(0)) == Bytes(20));
}

TEST_CASE("what finds no place below the capacity goes on top", "[allocators]") {
  const Plan plan = planned(chain(Bytes(15)));
  CHECK(plan.status == PlanStatus::overBudget);
  CHECK(plan.footprint(PoolId(0)) == Bytes(20));
}

TEST_CASE("nothing is reused where there is room for all", "[allocators][property]") {
  for (const std::uint64_t seed : test::Seeds(50)) {
    Problem problem = test::randomProblem(seed, {.stays = 30, .steps = 20, .maxSize = 100});
    problem.gaps.clear();
    Bytes sum;
    for (Stay& stay : problem.stays) {
      stay.pinned.reset();
      stay.alignment = Bytes(1);
      sum += stay.size;
    }
    problem.pools[PoolId(0)].capacity = sum;
    const Plan plan = planned(problem);
    std::vector<Interval<Bytes>> taken;
    bool apart = true;
    for (const StayId id : problem.stays.keys()) {
      if (problem.poolOf(id) != PoolId(0)) continue;
      const Bytes at = plan.addresses[id]->offset;
      const Interval<Bytes> bytes{at, at + problem.stays[id].size};
      for (const auto& other : taken) apart &= !other.overlaps(bytes);
      taken.push_back(bytes);
    }
    CHECK(apart);
  }
}

namespace {

/// When the bytes from `at` on fell idle, byte by byte; later than it begins where one is in use.
Step idleSince(const std::vector<Step>& ends, Bytes at, Bytes size) {
  const auto first = ends.begin() + at.count();
  return *std::max_element(first, first + size.count());
}

}  // namespace

TEST_CASE("no other place is idle longer than the chosen one", "[allocators][property]") {
  int chosen = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    Problem problem = test::randomProblem(seed, {.stays = 40, .steps = 20, .maxSize = 60});
    problem.gaps.clear();
    problem.overlays.clear();
    problem.pools = {{.name = "L2"}};
    for (Stay& stay : problem.stays) {
      stay.pinned.reset();
      stay.pool = {};
    }
    const Bytes top = lowerBound(problem) + Bytes(static_cast<std::int64_t>(seed % 200));
    problem.pools[PoolId(0)].capacity = top;
    const Plan plan = planned(problem);
    std::vector<Step> ends(4096, Step(-1));
    for (const StayId id : productionOrder(problem, PoolId(0))) {
      const Stay& stay = problem.stays[id];
      const Bytes at = plan.addresses[id]->offset;
      REQUIRE(at + stay.size <= Bytes(4096));
      if (at + stay.size > top) break;  // No place was left; from here on the top is another.
      const Step idle = idleSince(ends, at, stay.size);
      CHECK(idle <= stay.steps.begin);
      bool longest = true;
      for (Bytes other; other + stay.size <= top; other += stay.alignment) {
        longest &= idleSince(ends, other, stay.size) >= idle;
      }
      CHECK(longest);
      ++chosen;
      std::fill_n(ends.begin() + at.count(), stay.size.count(), stay.steps.end);
    }
  }
  CHECK(chosen > test::atLeast(2000));
}
