#include "core/solver/exact/exact.h"

#include <fmt/format.h>

#include "core/families/family.h"
#include "core/families/family_rows.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/exact/bounds.h"
#include "core/solver/exact/conflict.h"
#include "tests/core/solver/exact_oracles.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

constexpr PoolId kPool{0};

Plan planOf(const Problem& problem, const ExactResult& found) {
  Plan plan;
  plan.regions.add(IdMap<RegionId, Bytes>{found.incumbent});
  for (const StayId id : problem.stays.keys()) {
    plan.addresses.add(Address{kPool, RegionId(0), found.offsets[id]});
  }
  return plan;
}

/// What holds for every answer, whatever the question.
void checkSound(const Problem& problem, const ExactResult& found) {
  const auto wrong = validate(problem, planOf(problem, found));
  if (!wrong.empty()) FAIL(wrong[0].message);
  Bytes peak;
  for (const StayId id : problem.stays.keys()) {
    peak = std::max(peak, found.offsets[id] + problem.stays[id].size);
  }
  REQUIRE(peak == found.incumbent);
  REQUIRE_FALSE(found.history.empty());
  for (std::size_t i = 1; i < found.history.size(); ++i) {
    REQUIRE(found.history[i].incumbent <= found.history[i - 1].incumbent);
    REQUIRE(found.history[i].bound >= found.history[i - 1].bound);
    REQUIRE(found.history[i].nodes >= found.history[i - 1].nodes);
  }
}

/// A few small stays; every feature in turn.
Problem smallProblem(std::uint64_t seed) {
  test::ProblemShape shape{.stays = 2 + seed % 5, .steps = 7, .maxSize = 6, .maxLength = 4};
  if (seed % 2 == 1) shape.gapPercent = 40;
  if (seed % 3 == 1) shape.pinnedPercent = 25;
  Problem problem = test::randomProblem(seed, shape);
  test::Dice dice(seed);
  if (seed % 5 < 2) {
    for (Stay& stay : problem.stays) {
      const std::int64_t alignment = dice.roll(1, 4);
      if (!stay.pinned) stay.alignment = Bytes(alignment);
    }
  }
  return problem;
}

/// Some 20 stays that fill `height` bytes at every step, as if two or three at a time had handed
/// theirs to others: a plan as low as that may not exist, for they need not have been neighbours.
Problem handedAround(std::uint64_t seed, std::int64_t height, std::int64_t steps) {
  Dice dice(seed);
  std::vector<FamilyStay> stays;
  std::vector<FamilyStay> open;
  const auto fill = [&](std::int64_t begin, std::int64_t room) {
    while (room > 0) {
      open.push_back({.begin = begin, .size = std::min(room, dice.roll(1, height / 3))});
      room -= open.back().size;
    }
  };
  const auto end = [&](std::int64_t step) {
    const FamilyStay stay = open.back();
    open.pop_back();
    stays.push_back({.begin = stay.begin, .length = step - stay.begin, .size = stay.size});
    return stay.size;
  };
  fill(0, height);
  for (std::int64_t step = 1; step < steps; ++step) {
    dice.shuffle(open);
    std::int64_t room = 0;
    for (std::int64_t left = dice.roll(2, 3); left > 0 && !open.empty(); --left) room += end(step);
    fill(step, room);
  }
  while (!open.empty()) end(steps);
  return problemOfStays(std::move(stays));
}

}  // namespace

TEST_CASE("the exact search finds what trying every offset finds", "[exact]") {
  for (const std::uint64_t seed : test::Seeds(400)) {
    const Problem problem = smallProblem(seed);
    const Bytes best = test::exhaustivePeak(problem);
    const ExactResult found = solveExact(problem, kPool, {.nodes = 100'000, .threads = 1});
    checkSound(problem, found);
    REQUIRE(found.status == ExactStatus::optimal);
    REQUIRE(found.incumbent == best);
    REQUIRE(found.bound == best);
  }
}

TEST_CASE("bounds beyond the live maximum are never above the optimum", "[exact][bounds]") {
  int aligned = 0;
  int pinned = 0;
  for (const std::uint64_t seed : test::Seeds(600)) {
    const Problem problem = smallProblem(seed);
    const Bytes bound = provenBound(problem, kPool);
    const Bytes live = lowerBound(problem, kPool);
    REQUIRE(bound >= live);
    REQUIRE(bound <= test::exhaustivePeak(problem));
    if (bound == live) continue;
    const auto hasPin = [](const Stay& stay) { return stay.pinned.has_value(); };
    (std::ranges::any_of(problem.stays, hasPin) ? pinned : aligned) += 1;
  }
  CHECK(aligned > test::atLeast(20));
  CHECK(pinned > test::atLeast(5));
}

TEST_CASE("alignments and pins raise the bound", "[exact][bounds]") {
  // Three sizes of 5 at multiples of 8 end at 8 + 8 + 5.
  CHECK(provenBound(test::problemOf({{5, 0, 1, 8}, {5, 0, 1, 8}, {5, 0, 1, 8}}), kPool) == 21_B);
  // A tiny one in between changes nothing for the others, and may lie in a rounding.
  CHECK(provenBound(test::problemOf({{5, 0, 1, 8}, {5, 0, 1, 8}, {2, 0, 1, 1}}), kPool) == 13_B);
  // |3 free| pin 4 |: 5 do not fit below, 3 do.
  Problem pinned = test::problemOf({{4, 0, 1}, {5, 0, 1}, {3, 0, 1}});
  pinned.stays[StayId(0)].pinned = 3_B;
  CHECK(provenBound(pinned, kPool) == 12_B);
  pinned.stays[StayId(2)].size = 4_B;
  CHECK(provenBound(pinned, kPool) == 16_B);
}

TEST_CASE("a capacity suffices from the optimum on, and is proved not to below", "[exact]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const Problem problem = smallProblem(seed);
    const Bytes best = test::exhaustivePeak(problem);
    for (const std::int64_t more : {-2, -1, 0, 1}) {
      const Bytes capacity = std::max(Bytes(), best + Bytes(more));
      const ExactResult found =
          solveExact(problem, kPool, {.capacity = capacity, .nodes = 100'000, .threads = 1});
      checkSound(problem, found);
      if (capacity < best) {
        REQUIRE(found.status == ExactStatus::infeasible);
        REQUIRE(found.bound > capacity);
        REQUIRE(found.bound <= best);
      } else {
        REQUIRE((found.status == ExactStatus::fits || found.status == ExactStatus::optimal));
        REQUIRE(found.incumbent <= capacity);
      }
    }
  }
}

TEST_CASE("the exact search agrees with every order of lowest fits", "[exact]") {
  for (const std::uint64_t seed : test::Seeds(120)) {
    const Problem problem = test::randomProblem(seed, {.stays = 7,
                                                       .steps = 9,
                                                       .maxSize = 90,
                                                       .maxLength = 5,
                                                       .alignedPercent = seed % 2 == 0 ? 50 : 0});
    const ExactResult found = solveExact(problem, kPool, {.nodes = 100'000, .threads = 1});
    checkSound(problem, found);
    REQUIRE(found.status == ExactStatus::optimal);
    REQUIRE(found.incumbent == test::bruteForcePeak(problem));
  }
}

TEST_CASE("the exact search agrees with a mixed-integer solver", "[exact][oracle]") {
  if (!test::installedMipSolver()) {
    WARN("skipped: neither cbc nor glpsol is installed");
    return;
  }
  int harder = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    CAPTURE(seed);
    test::ProblemShape shape{.stays = 8, .steps = 8, .maxSize = 12, .maxLength = 6};
    if (seed % 3 == 0) shape.gapPercent = 40;
    if (seed % 4 == 0) shape.pinnedPercent = 20;
    const Problem problem = test::randomProblem(seed, shape);
    const auto best = test::must(test::integerProgramPeak(problem));
    const ExactResult found = solveExact(problem, kPool, {.nodes = 500'000, .threads = 1});
    checkSound(problem, found);
    REQUIRE(found.status == ExactStatus::optimal);
    REQUIRE(found.incumbent == best);
    harder += best > lowerBound(problem, kPool) ? 1 : 0;
  }
  CHECK(harder > 0);  // Else the live maximum would have done.
}

TEST_CASE("proofs on middling problems agree with a mixed-integer solver", "[exact][oracle]") {
  if (!test::installedMipSolver()) {
    WARN("skipped: neither cbc nor glpsol is installed");
    return;
  }
  int harder = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Problem problem = handedAround(seed, 24, 6);
    const ExactResult found = solveExact(problem, kPool, {.nodes = 200'000, .threads = 1});
    checkSound(problem, found);
    if (found.status != ExactStatus::optimal) continue;
    if (found.incumbent == lowerBound(problem, kPool)) continue;
    ++harder;
    const Bytes below = found.incumbent - Bytes(1);
    const ExactResult refused =
        solveExact(problem, kPool, {.capacity = below, .nodes = 200'000, .threads = 1});
    REQUIRE(refused.status == ExactStatus::infeasible);
    const auto fits = test::must(test::integerProgramFits(problem, below));
    REQUIRE_FALSE(fits);
  }
  CHECK(harder > 0);  // Else the live maximum would have done.
}

TEST_CASE("a node budget decides the answer, not the clock or the threads", "[exact]") {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const Problem problem =
        generateProblem(fmt::format("spirals:buffers=450,out=12,seed={}", seed)).problem;
    std::optional<ExactResult> first;
    for (const int threads : {1, 2, 3, 7}) {
      const ExactResult found = solveExact(problem, kPool, {.nodes = 20'000, .threads = threads});
      checkSound(problem, found);
      if (!first) first = found;
      CHECK(found.nodes == first->nodes);
      CHECK(found.status == first->status);
      CHECK(found.offsets == first->offsets);
      CHECK(found.bound == first->bound);
      CHECK(found.winner == first->winner);
      CHECK(found.history.size() == first->history.size());
    }
    // The last joining, or sweep, may go beyond: it is charged when it is done.
    CHECK(first->nodes <= 30'000);
    stopped += first->status == ExactStatus::stopped ? 1 : 0;
  }
  CHECK(stopped > 0);
}

TEST_CASE("an exact search that is told to stop has a plan and a bound, if it began", "[exact]") {
  const Problem problem = generateProblem("spirals:buffers=450,out=12,seed=4").problem;
  SECTION("before it begins") {
    std::stop_source source;
    source.request_stop();
    const ExactResult found = solveExact(problem, kPool, {.stop = source.get_token()});
    CHECK(found.offsets.empty());
    CHECK(found.status == ExactStatus::stopped);
    CHECK(found.nodes == 0);
  }
  SECTION("while it runs") {
    std::stop_source source;
    int reports = 0;
    const ExactOptions options{
        .threads = 2, .stop = source.get_token(), .progress = [&](const ExactProgress& now) {
          CHECK(now.bound <= now.incumbent);
          if (++reports == 3) source.request_stop();
        }};
    const ExactResult found = solveExact(problem, kPool, options);
    checkSound(problem, found);
    CHECK(found.status == ExactStatus::stopped);
    CHECK(reports >= 3);
  }
  SECTION("by the clock") { checkSound(problem, solveExact(problem, kPool, {.seconds = 0.05})); }
}

TEST_CASE("the exact search starts from the plan it is given", "[exact]") {
  //  a 3 at [0,2), b 2 at [1,3), c 3 at [2,4): 5 suffice, the plan given needs 8.
  const Problem problem = test::problemOf({{3, 0, 2}, {2, 1, 3}, {3, 2, 4}});
  const IdMap<StayId, Bytes> start{0_B, 3_B, 5_B};
  const ExactResult found = solveExact(problem, kPool, {.start = start});
  CHECK(found.history.front().incumbent == 8_B);
  CHECK(found.status == ExactStatus::optimal);
  CHECK(found.incumbent == 5_B);
}

TEST_CASE("what first looks do not decide is looked for in another way, once", "[exact]") {
  const Problem problem =
      generateProblem("guillotine:buffers=500,out=2,heights=64,cuts=anywhere,steps=100,seed=12")
          .problem;
  int asked = 0;
  std::optional<QuickPlan> other;
  ExactOptions options{.nodes = 100'000};
  options.otherwise = [&](const Problem& of, PoolId pool, double seconds) {
    CHECK(&of == &problem);
    CHECK(pool == kPool);
    CHECK(seconds == 0);
    ++asked;
    return other;
  };
  const ExactResult without = solveExact(problem, kPool, options);
  checkSound(problem, without);
  CHECK(asked == 1);
  REQUIRE(without.incumbent > without.bound);
  const ExactResult longer = solveExact(problem, kPool, {.nodes = 1'000'000});
  REQUIRE(longer.incumbent < without.incumbent);
  other = QuickPlan{longer.offsets, "longer"};
  const ExactResult with = solveExact(problem, kPool, options);
  checkSound(problem, with);
  CHECK(asked == 2);
  CHECK(with.incumbent <= longer.incumbent);
}

TEST_CASE("no stays and single stays are searched too", "[exact]") {
  const ExactResult none = solveExact(test::problemOf({}), kPool);
  CHECK(none.status == ExactStatus::optimal);
  CHECK(none.incumbent == 0_B);
  const Problem one = test::problemOf({{7, 0, 1}});
  CHECK(solveExact(one, kPool).incumbent == 7_B);
  const ExactResult tooLarge = solveExact(one, kPool, {.capacity = 6_B});
  CHECK(tooLarge.status == ExactStatus::infeasible);
  CHECK(tooLarge.bound == 7_B);
  const ExactResult zero = solveExact(one, kPool, {.capacity = 0_B});
  CHECK(zero.status == ExactStatus::infeasible);
}

TEST_CASE("sizes near the limit of all sizes do not overflow the search", "[exact]") {
  const std::int64_t huge = (std::int64_t{1} << 58) + 1;
  const Problem problem =
      test::problemOf({{huge, 0, 2}, {huge, 1, 3}, {5, 0, 3}, {huge, 2, 4, 64}});
  const ExactResult found = solveExact(problem, kPool, {.nodes = 10'000});
  checkSound(problem, found);
  CHECK(found.status == ExactStatus::optimal);
}

TEST_CASE("thousands of stays deep, the search neither crashes nor fills memory", "[exact]") {
  Problem problem;
  problem.pools.add({.name = "L2"});
  problem.steps = 3'000_st;
  test::Dice dice(5);
  for (int i = 0; i < 3'000; ++i) {
    const Step begin(dice.roll(0, 1'400));
    problem.stays.add({.steps = {begin, begin + Step(dice.roll(1, 1'500))},
                       .size = Bytes(dice.roll(1, 100'000))});
  }
  const ExactResult found = solveExact(problem, kPool, {.nodes = 6'000});
  checkSound(problem, found);
  CHECK(found.nodes > 3'000);
}

TEST_CASE("a conflict cannot be kept, and without any one of it can", "[exact][conflict]") {
  int unequal = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Problem problem = smallProblem(seed);
    const Bytes best = test::exhaustivePeak(problem);
    const Bytes capacity = best - 1_B;
    const Conflict conflict = findConflict(problem, kPool, {.capacity = capacity, .threads = 1});
    REQUIRE(conflict.minimal);
    REQUIRE_FALSE(conflict.stays.empty());
    unequal += conflict.stays.size() < problem.stays.size() ? 1 : 0;
    // Judged by trying every offset.
    const auto peakWithout = [&](StayId left) {
      Problem part;
      part.pools.add({.name = "part"});
      part.steps = problem.steps;
      for (const StayId id : conflict.stays) {
        if (id == left) continue;
        for (const auto& gap : problem.gapsOf(id))
          part.gaps.push_back({StayId(part.stays.size()), gap});
        part.stays.add(problem.stays[id]);
      }
      return test::exhaustivePeak(part);
    };
    REQUIRE(peakWithout(StayId()) > capacity);
    for (const StayId id : conflict.stays) REQUIRE(peakWithout(id) <= capacity);
    const Conflict none = findConflict(problem, kPool, {.capacity = best, .threads = 1});
    REQUIRE(none.stays.empty());
  }
  CHECK(unequal > test::atLeast(20));
}
