#include "tests/support/synthetic_problems.h"

#include <algorithm>
#include <set>

#include "core/plan/metrics.h"
#include "tests/support/printers.h"

using namespace hw;

TEST_CASE("synthetic problems are what they are called", "[support]") {
  const std::size_t count =
      GENERATE(std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{3'000});
  const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{6}));
  CAPTURE(count, seed);

  SECTION("rand: sizes from 64 bytes to a megabyte") {
    const Problem problem = test::randProblem(count, seed);
    CHECK(problem.stays.size() == count);
    for (const Stay& stay : problem.stays) {
      CHECK((stay.size >= Bytes(64) && stay.size < Bytes(1 << 20)));
    }
  }
  SECTION("infer: at most three steps, at most 32 sizes") {
    const Problem problem = test::inferProblem(count, seed);
    CHECK(problem.stays.size() == count);
    std::set<Bytes> sizes;
    for (const Stay& stay : problem.stays) {
      sizes.insert(stay.size);
      CHECK(stay.steps.length() <= Step(3));
    }
    CHECK(sizes.size() <= 32);
  }
  SECTION("tile: every step is full") {
    const Problem problem = test::tileProblem(count, seed);
    CHECK(problem.stays.size() == count);
    const StepFunction live = liveBytes(problem, PoolId(0));
    REQUIRE_FALSE(live.pieces.empty());
    for (const auto& piece : live.pieces) {
      const bool over = piece.from == problem.steps;
      CHECK(piece.value == (over ? Bytes() : Bytes(64 << 20)));
    }
  }
}

TEST_CASE("a seed stands for one synthetic problem", "[support]") {
  const auto generate = GENERATE(&test::randProblem, &test::inferProblem, &test::tileProblem);
  const auto sizes = [&](std::uint64_t seed) {
    std::vector<Bytes> list;
    for (const Stay& stay : generate(500, seed).stays) list.push_back(stay.size);
    return list;
  };
  CHECK(sizes(1) == sizes(1));
  CHECK(sizes(1) != sizes(2));
}
