// docs/methods.md §2 on what its source gets wrong: branches and skip connections.
#include <algorithm>

#include "core/allocators/catalog.h"
#include "core/plan/validate.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// A random graph as its planning problem: every op reads one to three tensors made before it, the
/// last ones more often, and writes one or two. A tensor in three is read far from where it is
/// made.
Problem branchingProblem(std::uint64_t seed, int& skips) {
  test::Dice dice(seed);
  Problem problem;
  problem.pools.add({.name = "L2"});
  const std::int64_t ops = dice.roll(2, 20);
  problem.steps = Step(ops);
  const auto make = [&](std::int64_t step) {
    return problem.stays.add({.buffer = BufferId(problem.stays.size()),
                              .steps = {Step(step), Step(step + 1)},
                              .size = Bytes(dice.roll(1, 40))});
  };
  const StayId input = make(0);
  std::vector<StayId> made = {input};
  std::vector<bool> read = {false};
  for (std::int64_t step = 0; step < ops; ++step) {
    StepUses uses{.step = Step(step)};
    for (std::int64_t i = dice.roll(1, 3); i > 0; --i) {
      const auto count = static_cast<std::int64_t>(made.size());
      const std::int64_t back = dice.chance(66) ? dice.roll(1, 2) : dice.roll(1, count);
      const StayId id = made[static_cast<std::size_t>(std::max<std::int64_t>(0, count - back))];
      if (std::ranges::find(uses.reads, id) != uses.reads.end()) continue;
      skips += back > 4 ? 1 : 0;
      uses.reads.push_back(id);
      read[id.index()] = true;
      problem.stays[id].steps.end = Step(step + 1);
    }
    for (std::int64_t i = dice.chance(80) ? 1 : 2; i > 0; --i) {
      uses.writes.push_back(make(step));
      read.push_back(false);
    }
    made.insert(made.end(), uses.writes.begin(), uses.writes.end());
    problem.uses.push_back(uses);
  }
  // One of those nobody reads is an output of the graph, and so is the last.
  for (const StayId id : made) {
    const bool output = id == made.back() || (!read[id.index()] && dice.chance(50));
    if (!output || id == input) continue;
    problem.stays[id].outlives = true;
    problem.stays[id].steps.end = Step(ops);
  }
  return problem;
}

}  // namespace

TEST_CASE("recycling more where a lifetime is one only gives inception 144 bytes", "[two-sided]") {
  const auto peak = [](const std::string& allocator) {
    const auto run = test::mustRun(test::sample("inception"), test::workedRequest(allocator));
    return run->plan.footprint(PoolId(0));
  };
  CHECK(peak("two-sided") == Bytes(160));
  CHECK(peak("two-sided:recycle=lifetime-one") == Bytes(144));
}

TEST_CASE("two-sided is valid on ten thousand branching graphs", "[two-sided]") {
  const auto allocator =
      AllocatorChoice::parse(GENERATE("two-sided", "two-sided:recycle=lifetime-one"))->make();
  int skips = 0;
  for (const std::uint64_t seed : test::Seeds(10'000)) {
    const Problem problem = branchingProblem(seed, skips);
    const auto plan = test::must(allocator->plan(problem, {}));
    REQUIRE(validate(problem, plan).empty());
    REQUIRE(test::naiveClashes(problem, plan).empty());
  }
  CHECK(skips > test::atLeast(10'000));
}

TEST_CASE("two-sided shares bytes between stays of one step each", "[two-sided]") {
  const auto allocator = AllocatorChoice::parse("two-sided")->make();
  const Problem problem = test::problemOf({{9, 0, 1}, {9, 1, 2}, {4, 1, 2}, {9, 2, 3}});
  CHECK(allocator->plan(problem, {})->footprint(PoolId(0)) == Bytes(13));
}
