#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/fast/fast_search.h"
#include "core/solver/fast/peak_repair.h"
#include "core/solver/fast/skyline.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/synthetic_problems.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// Where a packing put everything, as a plan; pins where they have to be.
Plan planOf(const Problem& problem, const Rectangles& rectangles,
            const std::vector<Bytes>& offsets) {
  std::vector<std::int64_t> places;
  for (const Stay& stay : problem.stays) places.push_back(stay.pinned.value_or(Bytes()).count());
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    places[rectangles.stays[i].index()] = offsets[i].count();
  }
  return test::planAt(problem, places);
}

std::vector<float> randomPriorities(test::Dice& dice, std::size_t count) {
  std::vector<float> priorities(count);
  for (float& priority : priorities) priority = static_cast<float>(dice.roll(1, 50));
  return priorities;
}

/// By looking at all of them.
float naiveBest(const std::vector<std::uint32_t>& ends, const std::vector<float>& priorities,
                std::uint32_t first, std::uint32_t last, std::uint32_t end) {
  float best = 0;
  for (std::uint32_t i = first; i < last; ++i) {
    if (ends[i] <= end) best = std::max(best, priorities[i]);
  }
  return best;
}

FastResult searched(const Rectangles& rectangles, std::int64_t moves, std::uint64_t seed = 1) {
  return searchFast(rectangles, {.moves = moves, .seed = seed, .bound = loadBound(rectangles)});
}

std::vector<Bytes> largestFirst(const Rectangles& rectangles) {
  Skyline skyline(rectangles);
  std::vector<float> sizes;
  for (const Bytes size : rectangles.size) sizes.push_back(static_cast<float>(size.count()));
  skyline.pack(sizes, {});
  return skyline.offsets();
}

}  // namespace

TEST_CASE("the unplaced one of highest priority is found as by looking at all", "[fast]") {
  for (const std::uint64_t seed : test::Seeds(30)) {
    test::Dice dice(seed);
    const auto count = static_cast<std::uint32_t>(dice.roll(1, seed % 5 == 0 ? 3'000 : 200));
    std::vector<std::uint32_t> ends(count);
    for (std::uint32_t& end : ends) end = static_cast<std::uint32_t>(dice.roll(0, 100));
    std::vector<float> priorities = randomPriorities(dice, count);
    Unplaced unplaced;
    unplaced.fill(ends, priorities);
    for (int question = 0; question < 300; ++question) {
      const auto first = static_cast<std::uint32_t>(dice.roll(0, count));
      const auto last = static_cast<std::uint32_t>(dice.roll(first, count));
      const auto end = static_cast<std::uint32_t>(dice.roll(0, 100));
      const auto odd = [](std::uint32_t position) { return position % 2 == 1; };
      const float best = naiveBest(ends, priorities, first, last, end);
      const auto found = unplaced.find(first, last, end, [](std::uint32_t) { return true; });
      REQUIRE((found == Unplaced::kNone) == (best == 0));
      const auto filtered = unplaced.find(first, last, end, odd);
      REQUIRE((filtered == Unplaced::kNone || odd(filtered)));
      if (found == Unplaced::kNone) continue;
      REQUIRE((found >= first && found < last && ends[found] <= end));
      REQUIRE(priorities[found] == best);
      unplaced.erase(found);
      priorities[found] = 0;
    }
  }
}

TEST_CASE("any priorities give a valid packing, pins and alignments kept", "[fast]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    test::Dice dice(seed);
    const Problem problem =
        test::randomProblem(seed, {.stays = static_cast<std::size_t>(dice.roll(1, 120)),
                                   .steps = dice.roll(1, 60),
                                   .alignedPercent = seed % 2 == 0 ? 40 : 0,
                                   .pinnedPercent = seed % 3 == 0 ? 25 : 0,
                                   .gapPercent = seed % 5 == 0 ? 30 : 0});
    const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
    Skyline skyline(rectangles);
    const auto result = skyline.pack(randomPriorities(dice, rectangles.count()), {});
    REQUIRE(result.complete);
    REQUIRE(result.placed == rectangles.count());
    const Plan plan = planOf(problem, rectangles, skyline.offsets());
    REQUIRE(validate(problem, plan).empty());
    REQUIRE(plan.footprint(PoolId(0)) == result.peak);
    if (problem.gaps.empty()) REQUIRE(result.peak >= loadBound(rectangles));
  }
}

// aaa     b comes first and covers the ground; then c, in the middle of it; a fits into neither of
//  c      the valleys beside c and lies on top.
// bbb
TEST_CASE("the valley's first choice comes first", "[fast]") {
  const Problem problem = test::problemOf({{.size = 4, .begin = 0, .end = 3},
                                           {.size = 2, .begin = 0, .end = 3},
                                           {.size = 3, .begin = 1, .end = 2}});
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  Skyline skyline(rectangles);
  CHECK(skyline.pack(std::vector<float>{1, 3, 2}, {}).peak == 9_B);
  CHECK(skyline.offsets() == std::vector{5_B, 0_B, 2_B});
}

TEST_CASE("what ends above the limit is named, or ends the packing", "[fast]") {
  const Problem problem = test::problemOf({{.size = 4}, {.size = 3}, {.size = 2}, {.size = 1}});
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  Skyline skyline(rectangles);
  const std::vector<float> priorities{4, 3, 2, 1};
  CHECK(skyline.pack(priorities, {.height = 8_B}).complete);
  CHECK(skyline.tooHigh() == std::vector<std::uint32_t>{2, 3});
  const auto given = skyline.pack(priorities, {.height = 8_B, .giveUp = true});
  CHECK_FALSE(given.complete);
  CHECK(given.placed == 3);
}

TEST_CASE("a search repeats itself, never goes up and never below the bound", "[fast]") {
  for (const std::uint64_t seed : test::Seeds(20)) {
    const Problem problem = test::randomProblem(seed, {.stays = 80, .steps = 40, .maxLength = 25});
    const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
    const FastResult found = searched(rectangles, 20'000, seed);
    CHECK(searched(rectangles, 20'000, seed).offsets == found.offsets);
    CHECK(validate(problem, planOf(problem, rectangles, found.offsets)).empty());
    CHECK(found.peak >= loadBound(rectangles));
    CHECK(found.peak == found.samples.back().peak);
    for (std::size_t i = 1; i < found.samples.size(); ++i) {
      CHECK(found.samples[i].peak < found.samples[i - 1].peak);
    }
    CHECK((found.peak == loadBound(rectangles) || found.moves >= 20'000));
  }
}

TEST_CASE("a search that is given more moves later ends like one that had them all", "[fast]") {
  int went = 0;
  int full = 0;
  for (const std::uint64_t seed : test::Seeds(30)) {
    // Every third one is full, so that it is joined first.
    const Problem problem =
        seed % 3 == 0
            ? generateProblem(fmt::format("guillotine:buffers=90,steps=40,seed={}", seed)).problem
            : test::randomProblem(seed, {.stays = 80,
                                         .steps = 40,
                                         .maxLength = 25,
                                         .alignedPercent = seed % 2 == 0 ? 40 : 0,
                                         .pinnedPercent = seed % 5 == 0 ? 25 : 0});
    const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
    const Bytes bound = loadBound(rectangles);
    FastSearch search(rectangles, {.seed = seed, .bound = bound});
    // So few that not all rules are tried, too.
    for (const std::int64_t moves : {100, 2'000, 2'000, 9'000, 40'000}) {
      const FastResult whole = searched(rectangles, moves, seed);
      const std::int64_t kept = search.movesKept();
      const FastResult& found = search.runTo(moves, 0, bound);
      REQUIRE(found.offsets == whole.offsets);
      REQUIRE(found.peak == whole.peak);
      REQUIRE(found.winner == whole.winner);
      REQUIRE(found.moves == whole.moves);
      went += kept > 0 && found.moves > kept ? 1 : 0;
      full += moves > 9'000 && search.movesKept() == 0 ? 1 : 0;
    }
  }
  CHECK(full > 0);
  CHECK(went > test::atLeast(12));
}

TEST_CASE("a search finds the optimum of small problems", "[fast]") {
  int missed = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = test::randomProblem(seed, {.stays = 7, .steps = 8, .maxLength = 6});
    const Bytes peak = searched(rectanglesOf(problem, PoolId(0)), 20'000).peak;
    REQUIRE(peak >= test::bruteForcePeak(problem));
    if (peak > test::bruteForcePeak(problem)) ++missed;
  }
  CHECK(missed == 0);
}

TEST_CASE("a stop ends a search", "[fast]") {
  // No quick packing of it meets the bound.
  const Problem problem = generateProblem("spirals:buffers=450,out=12,seed=4").problem;
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  int asked = 0;
  const FastResult found = searchFast(
      rectangles,
      {.moves = std::numeric_limits<std::int64_t>::max(), .stopped = [&] { return ++asked > 50; }});
  CHECK(found.stopped);
  CHECK(found.offsets.size() == rectangles.count());
  CHECK(searchFast(rectangles, {.stopped = [] { return true; }}).offsets.empty());
}

TEST_CASE("a window holds what lies inside and pins what reaches beyond", "[fast]") {
  const Problem problem = test::problemOf({{.size = 4, .begin = 0, .end = 2},
                                           {.size = 3, .begin = 1, .end = 5},
                                           {.size = 2, .begin = 2, .end = 4},
                                           {.size = 9, .begin = 5, .end = 6}});
  const Rectangles whole = rectanglesOf(problem, PoolId(0));
  const PackingWindow window = cutWindow(whole, {0_B, 4_B, 0_B, 0_B}, {1, 3});  // Steps 1 to 4.
  CHECK(window.positions == std::vector<std::uint32_t>{2});
  CHECK(window.peak == 7_B);
  REQUIRE(window.rectangles.pins.size() == 2);
  CHECK(window.rectangles.pins[0].top == 4_B);
  CHECK(window.rectangles.pins[0].end == 1);
  CHECK(window.rectangles.pins[1].bottom == 4_B);
  CHECK(window.rectangles.pins[1].end == 2);
}

TEST_CASE("a repair keeps the packing valid and never raises it", "[fast]") {
  const bool everywhere = GENERATE(false, true);
  const auto& repair = everywhere ? lowerPeaks : repairPeaks;
  const std::size_t count = everywhere ? 300 : 3'000;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    CAPTURE(seed, count);
    test::Dice dice(seed);
    Problem problem = test::randProblem(count, seed);
    if (seed % 3 == 0) {
      for (Stay& stay : problem.stays) stay.alignment = Bytes(dice.chance(30) ? 64 : 1);
    }
    const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
    std::vector<Bytes> offsets = largestFirst(rectangles);
    const Bytes before = planOf(problem, rectangles, offsets).footprint(PoolId(0));
    const RepairResult repaired =
        repair(rectangles, {.bound = loadBound(rectangles), .moves = 200'000}, offsets);
    const Plan plan = planOf(problem, rectangles, offsets);
    REQUIRE(validate(problem, plan).empty());
    CHECK(plan.footprint(PoolId(0)) == repaired.peak);
    CHECK(repaired.peak <= before);
  }
}

TEST_CASE("windows that are packed anew bring a plan near its bound", "[fast]") {
  const Problem problem =
      generateProblem("guillotine:buffers=120,cuts=anywhere,heights=64,out=5,seed=3,steps=100")
          .problem;
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  const Bytes bound = loadBound(rectangles);
  const Bytes near = bound + Bytes(bound.count() / 20);
  std::vector<Bytes> offsets = largestFirst(rectangles);
  REQUIRE(planOf(problem, rectangles, offsets).footprint(PoolId(0)) > near);
  const RepairResult found = lowerPeaks(rectangles, {.bound = near, .moves = 1'000'000}, offsets);
  CHECK(found.peak <= near);
  CHECK(found.moves < 1'000'000);
}

TEST_CASE("large synthetic problems are packed as well as they should be", "[fast]") {
  constexpr std::size_t kStays = 50'000;
  const auto ratio = [](const Problem& problem) {
    const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
    const FastResult found = searched(rectangles, 1'000'000);
    return static_cast<double>(found.peak.count()) /
           static_cast<double>(loadBound(rectangles).count());
  };
  for (const std::uint64_t seed : test::Seeds(3)) {
    CHECK(ratio(test::randProblem(kStays, seed)) <= 1.02);
    CHECK(ratio(test::inferProblem(kStays, seed)) <= 1.0);
    CHECK(ratio(test::tileProblem(kStays, seed)) <= 1.35);
  }
}
