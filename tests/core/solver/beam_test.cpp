#include "core/solver/sweep/beam.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/catalog.h"
#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

BeamResult packed(
    const Problem& problem, std::int64_t moves, Bytes below = kMaxBytes,
    const std::function<bool()>& stopped = [] { return false; }) {
  return searchBeam(
      rectanglesOf(problem, PoolId(0)),
      {.below = below, .bound = lowerBound(problem), .moves = moves, .stopped = stopped});
}

/// A valid plan as high as it says, and no lower than any can be.
void requireSound(const Problem& problem, const BeamResult& found) {
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  std::vector<std::int64_t> places(problem.stays.size());
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    places[rectangles.stays[i].index()] = found.offsets[i].count();
  }
  const Plan plan = test::planAt(problem, places);
  REQUIRE(validate(problem, plan).empty());
  REQUIRE(plan.footprint(PoolId(0)) == found.peak);
  REQUIRE(found.peak >= lowerBound(problem));
}

}  // namespace

TEST_CASE("beam search packs any problem without gaps, the same each time", "[beam]") {
  std::uint64_t found = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const Problem problem =
        test::randomProblem(seed, {.stays = 5 + seed % 90, .steps = 40, .maxLength = 9});
    std::vector<Bytes> peaks;
    const auto rectangles = rectanglesOf(problem, PoolId(0));
    const BeamSearchOptions options{.below = Bytes(2 * lowerBound(problem).count()),
                                    .bound = lowerBound(problem),
                                    .moves = 60'000,
                                    .stopped = [] { return false; },
                                    .improved = [&](Bytes peak) { peaks.push_back(peak); }};
    const BeamResult first = searchBeam(rectangles, options);
    REQUIRE(std::ranges::is_sorted(peaks, std::greater()));
    if (first.offsets.empty()) continue;
    ++found;
    REQUIRE(peaks.back() == first.peak);
    requireSound(problem, first);
    const BeamResult again = packed(problem, 60'000, options.below);
    REQUIRE(again.offsets == first.offsets);
    REQUIRE(again.moves == first.moves);
    // What is no lower is no answer.
    const BeamResult lower = packed(problem, 60'000, first.peak);
    REQUIRE((lower.offsets.empty() ? lower.peak == first.peak : lower.peak < first.peak));
  }
  REQUIRE(found > test::rounds(140));
}

TEST_CASE("beam search leaves what is pinned or aligned to others, and stops when told to",
          "[beam]") {
  test::ProblemShape shape{.stays = 40, .steps = 40, .maxLength = 9};
  shape.pinnedPercent = 50;
  CHECK(packed(test::randomProblem(1, shape), 10'000).offsets.empty());
  CHECK(packed(test::randomProblem(1, {.stays = 40}), 10'000, kMaxBytes, [] {
          return true;
        }).offsets.empty());
}

TEST_CASE("best packs coarse heights within a twentieth of the bound", "[beam]") {
  for (const int buffers : {300, 500}) {
    if (!test::isTried(buffers == 300 ? 0 : 1)) continue;
    CAPTURE(buffers);
    const Problem problem =
        generateProblem(fmt::format("guillotine:buffers={},steps=100,heights=64,"
                                    "cuts=anywhere,out=2,seed=202",
                                    buffers))
            .problem;
    const auto plan = test::must(AllocatorChoice::parse("best")->make()->plan(problem, {}));
    CHECK(20 * plan.footprint(PoolId(0)).count() <= 21 * lowerBound(problem).count());
  }
}
