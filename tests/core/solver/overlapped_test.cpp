// Searches in problems whose stays may overlap, against every order of placement.
#include "core/solver/exact/overlapped.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "core/allocators/catalog.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/placer.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// A random problem in which about half of what follows upon something may overlap it, for one step
/// or, as parts, for several.
Problem overlappingProblem(std::uint64_t seed, std::size_t stays) {
  Problem problem = test::randomProblem(seed, {.stays = stays, .steps = 6, .maxSize = 12});
  std::mt19937_64 random(seed);
  std::vector<bool> taken(stays, false);
  for (const StayId over : problem.stays.keys()) {
    for (const StayId under : problem.stays.keys()) {
      const Interval<Step>& first = problem.stays[under].steps;
      const Interval<Step>& second = problem.stays[over].steps;
      const bool parts = random() % 2 == 0 && first.begin <= second.begin &&
                         first.end > second.begin && first.end <= second.end;
      const bool follows = parts || first.end == second.begin + Step(1);
      const bool late = problem.stays[under].steps.begin == problem.stays[over].steps.begin;
      if (under == over || !follows || (late && under > over) || taken[under.index()] ||
          problem.stays[under].outlives) {
        continue;
      }
      if (random() % 2 == 0) continue;
      Overlap overlap{.under = under, .over = over, .parts = parts};
      if (random() % 3 != 0) overlap.up = Bytes(static_cast<std::int64_t>(random() % 6));
      if (random() % 3 != 0) overlap.down = Bytes(static_cast<std::int64_t>(random() % 6));
      problem.overlaps.push_back(overlap);
      taken[under.index()] = true;
      break;
    }
  }
  return problem;
}

/// The lowest peak over all orders, each stay as low as those before it let it: no plan is lower.
Bytes leastPeak(const Problem& problem) {
  std::vector<StayId> order = problem.stays.keys().toVector();
  Placer placer(problem, PoolId(0));
  Bytes least = kMaxBytes;
  do {
    placer.clear();
    placeInOrder(placer, problem, order, FitRule::first, [] { return false; });
    least = std::min(least, placer.peak());
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

}  // namespace

TEST_CASE("the exact search finds what every order finds, and proves it", "[solver][overlap]") {
  std::uint64_t shared = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const Problem problem = overlappingProblem(seed, 6);
    const ExactResult found = solveExact(problem, PoolId(0), {.nodes = 1'000'000});
    const Bytes least = leastPeak(problem);
    CHECK(found.status == ExactStatus::optimal);
    CHECK(found.incumbent == least);
    CHECK(found.bound == least);
    CHECK(lowerBound(problem) <= least);
    Problem apart = problem;
    apart.overlaps.clear();
    shared += leastPeak(apart) > least ? 1 : 0;
  }
  CHECK(shared > test::rounds(30));
}

TEST_CASE("a capacity suffices or is proved not to", "[solver][overlap]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = overlappingProblem(seed, 6);
    const Bytes least = leastPeak(problem);
    const auto at = [&](Bytes capacity) {
      return solveExact(problem, PoolId(0), {.capacity = capacity, .nodes = 1'000'000}).status;
    };
    CHECK((at(least) == ExactStatus::fits || at(least) == ExactStatus::optimal));
    CHECK(at(least - Bytes(1)) == ExactStatus::infeasible);
  }
}

TEST_CASE("methods that let outputs overlap keep their distances", "[solver][overlap]") {
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (!info.overlaps || info.way != Way::direct) continue;
    const std::string name(info.name);
    const auto choice =
        test::must(AllocatorChoice::parse(name == "exact" ? "exact:nodes=20000" : name));
    for (const std::uint64_t seed : test::Seeds(25)) {
      CAPTURE(name);
      const Problem problem = overlappingProblem(seed, 14);
      const auto plan = test::must(choice.make()->plan(problem, {}));
      CHECK(validate(problem, plan).empty());
      CHECK(plan.footprint(PoolId(0)) >= lowerBound(problem));
      for (const StayId id : problem.stays.keys()) {
        const Decision decision = choice.make()->explain(problem, plan, id);
        CHECK_FALSE(decision.decided.empty());
      }
    }
  }
}

TEST_CASE("best is never worse with overlaps than without", "[solver][overlap]") {
  const auto best = AllocatorChoice::parse("best");
  for (const std::uint64_t seed : test::Seeds(60)) {
    Problem problem = overlappingProblem(seed, 20);
    const auto near = best->make()->plan(problem, {});
    problem.overlaps.clear();
    const auto apart = best->make()->plan(problem, {});
    REQUIRE((near && apart));
    CHECK(near->footprint(PoolId(0)) <= apart->footprint(PoolId(0)));
  }
}
