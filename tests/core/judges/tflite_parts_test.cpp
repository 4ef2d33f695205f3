#include "tests/support/must.h"
#include "tests/support/tflite/part_models.h"
#include "tests/support/tflite_interpreter.h"

namespace hw::test::tfl {
namespace {

TfliteExecution runText(const TfliteText& model, std::uint64_t seed) {
  const std::string file = tfliteBytes(model);
  return test::must(runTflite(std::as_bytes(std::span(file)), seed));
}

const std::vector<PartRows> kTwoParts = {
    {.tensor = 1, .first = 2, .count = 4, .garbage = 1},
    {.tensor = 2, .first = 3, .count = 3},
    {.tensor = 1, .first = 0, .count = 3},
    {.tensor = 2, .first = 0, .count = 3},
};

}  // namespace

TEST_CASE("parts that run in one arena have the rows of the whole operators", "[judge]") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 9));
  const TfliteExecution whole = runText(wholeChain(), seed);
  const TfliteExecution parts = runText(twoParts(0), seed);
  CHECK(compareRows(whole, parts, kTwoParts).empty());
  CHECK(parts.headBytes == 136);
  CHECK(parts.outputs == whole.outputs);
}

TEST_CASE("rows that differ are found, and so are maps that do not fit", "[judge]") {
  const TfliteExecution whole = runText(wholeChain(), 6);
  // The view of the lower part begins a row too high.
  const TfliteExecution shifted = runText(twoParts(-8), 6);
  CHECK_THAT(compareRows(whole, shifted, kTwoParts),
             Catch::Contains("step 0 (operator 0 of subgraph 0, tensor 3): row"));
  const TfliteExecution parts = runText(twoParts(0), 6);
  auto map = kTwoParts;
  map[0].garbage = 0;
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("row 2 of tensor 1 differs"));
  map = kTwoParts;
  map[1].first = 4;
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("are not rows of tensor 2"));
  map[1] = {.tensor = 9};
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("makes no tensor 9"));
  map.pop_back();
  CHECK_THAT(compareRows(whole, parts, map), Catch::Contains("3 parts for 4 steps"));
  TfliteExecution other = parts;
  other.outputs[0][0] ^= std::byte{1};
  CHECK(compareRows(whole, other, kTwoParts) == "output 0 differs");
}

TEST_CASE("a loop of parts has the rows of the whole operator", "[judge]") {
  const TfliteExecution parts = runText(loopOfParts(), 5);
  // A comparison, three turns of four operators and a comparison, and the loop itself.
  REQUIRE(parts.steps.size() == 1 + 3 * 5 + 1);
  std::vector<PartRows> map(parts.steps.size());
  for (std::size_t turn = 0; turn < 3; ++turn) {
    const auto first = static_cast<std::int64_t>(4 - 2 * turn);
    map[1 + 5 * turn] = {.tensor = 0, .first = first, .count = 2};
    map[2 + 5 * turn] = {.tensor = 1, .first = first, .count = 2};
  }
  CHECK(compareRows(runText(wholeActivation(), 5), parts, map).empty());
  CHECK(parts.headBytes == 192);
}

}  // namespace hw::test::tfl
