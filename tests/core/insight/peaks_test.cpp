#include <catch2/catch.hpp>

#include "core/insight/moment.h"
#include "tests/support/problems.h"

using namespace hw;

TEST_CASE("local peaks are the plateaus that both neighbours look up to", "[peaks]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    test::Dice dice(seed);
    const std::int64_t length = dice.roll(1, 40);
    std::vector<std::int64_t> heights;
    StepFunction curve;
    for (std::int64_t step = 0; step < length; ++step) {
      heights.push_back(dice.chance(40) && step > 0 ? heights.back() : dice.roll(0, 5));
      curve.pieces.push_back({Step(step), Bytes(heights.back())});
    }
    std::vector<LocalPeak> expected;
    for (std::int64_t begin = 0; begin < length; ++begin) {
      for (std::int64_t end = begin + 1; end <= length; ++end) {
        const auto at = [&](std::int64_t i) {
          return i < 0 || i >= length ? 0 : heights[static_cast<std::size_t>(i)];
        };
        bool flat = at(begin - 1) < at(begin) && at(end) < at(begin);
        for (std::int64_t i = begin; i < end; ++i) flat = flat && at(i) == at(begin);
        if (flat) expected.push_back({{Step(begin), Step(end)}, Bytes(at(begin))});
      }
    }
    std::ranges::stable_sort(expected, std::greater{}, &LocalPeak::bytes);
    CHECK(localPeaks(curve, Step(length)) == expected);
  }
  CHECK(localPeaks({}, Step(4)).empty());
}
