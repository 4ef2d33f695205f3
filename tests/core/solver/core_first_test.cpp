#include "core/solver/core_first.h"

#include <catch2/catch.hpp>

#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

CoreFirst packed(const Problem& problem, Bytes below = kMaxBytes, std::int64_t moves = 20'000) {
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  return packCoreFirst(problem, PoolId(0), rectangles,
                       {.below = below, .bound = lowerBound(problem), .moves = moves});
}

Plan planOf(const Problem& problem, const CoreFirst& packed) {
  std::vector<std::int64_t> places;
  for (const StayId id : problem.stays.keys()) {
    places.push_back(problem.stays[id].pinned.value_or(packed.offsets[id]).count());
  }
  return test::planAt(problem, places);
}

/// A valid plan as high as it says.
void requireSound(const Problem& problem, const CoreFirst& packed) {
  const Plan plan = planOf(problem, packed);
  REQUIRE(validate(problem, plan).empty());
  REQUIRE(plan.footprint(PoolId(0)) == packed.peak);
}

}  // namespace

TEST_CASE("a core and what is placed around it make a plan", "[core-first]") {
  std::uint64_t found = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    test::ProblemShape shape{.stays = 120, .steps = 300, .maxLength = 9};
    shape.alignedPercent = seed % 3 == 0 ? 40 : 0;
    shape.pinnedPercent = seed % 4 == 0 ? 20 : 0;
    shape.gapPercent = seed % 5 == 0 ? 20 : 0;
    const Problem problem = test::randomProblem(seed, shape);
    const CoreFirst first = packed(problem);
    if (first.offsets.empty()) continue;
    ++found;
    requireSound(problem, first);
    const CoreFirst again = packed(problem);
    REQUIRE(again.peak == first.peak);
    REQUIRE(again.moves == first.moves);
    // What is no lower is no answer.
    const CoreFirst lower = packed(problem, first.peak);
    REQUIRE((lower.offsets.empty() ? lower.peak == first.peak : lower.peak < first.peak));
  }
  REQUIRE(found > test::rounds(100));
}

TEST_CASE("what has no fullest steps of its own is left alone", "[core-first]") {
  REQUIRE(packed(Problem{}, Bytes(5)).offsets.empty());
  // All are live at once: the core would be everything.
  const Problem together = test::problemOf({{3, 0, 2}, {2, 0, 2}, {1, 0, 2}});
  REQUIRE(packed(together).offsets.empty());
}

TEST_CASE("around a core that is full, those of fuller steps come first", "[core-first]") {
  // a, b and c are all that is live at step 3, and fill 10 bytes: the core, three of nine. At no
  // other step are there more than 7.
  const Problem problem = test::problemOf({{2, 3, 4},
                                           {3, 3, 4},
                                           {5, 3, 4},
                                           {7, 0, 3},
                                           {7, 4, 6},
                                           {6, 6, 7},
                                           {5, 7, 9},
                                           {1, 7, 9},
                                           {1, 8, 9}});
  const CoreFirst first = packed(problem);
  REQUIRE(first.peak == Bytes(10));
  requireSound(problem, first);
}

TEST_CASE("thousands of a compiler's buffers are packed by their core", "[core-first]") {
  for (const std::string kind : {"skips", "parameters", "branches", "mixed"}) {
    CAPTURE(kind);
    const Problem problem = generateProblem(kind + ":buffers=3000,seed=3").problem;
    const CoreFirst first = packed(problem);
    if (!first.offsets.empty()) requireSound(problem, first);
    CHECK((first.offsets.empty() || first.peak == lowerBound(problem)));
  }
}
