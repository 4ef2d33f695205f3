#include "core/plan/live_ranges.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/problems.h"

namespace hw {
namespace {

using Range = LiveRanges::Range;

Bytes largestHole(const std::set<Range>& ranges) {
  Bytes largest;
  Bytes below;
  for (const Range& range : ranges) {
    largest = std::max(largest, range.begin - below);
    below = range.end;
  }
  return largest;
}

}  // namespace

TEST_CASE("live ranges know their top and largest hole", "[plan][ranges]") {
  LiveRanges ranges;
  CHECK(ranges.empty());
  CHECK(ranges.top() == Bytes());
  CHECK(ranges.largestHole() == Bytes());
  // 0 . 2 [a) 5 . . 8 [b) 9
  ranges.insert({Bytes(8), Bytes(9), StayId(1)});
  CHECK(ranges.largestHole() == Bytes(8));
  ranges.insert({Bytes(2), Bytes(5), StayId(0)});
  CHECK(ranges.top() == Bytes(9));
  CHECK(ranges.largestHole() == Bytes(3));
  CHECK_FALSE(ranges.erase({Bytes(2), Bytes(5), StayId(7)}));
  CHECK(ranges.erase({Bytes(8), Bytes(9), StayId(1)}));
  CHECK(ranges.top() == Bytes(5));
  CHECK(ranges.largestHole() == Bytes(2));
}

TEST_CASE("live ranges in pieces are those of one set", "[plan][ranges]") {
  const std::uint64_t seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  test::Dice dice(seed);
  LiveRanges ranges;
  std::set<Range> expected;
  const std::int64_t crowd = dice.roll(10, 600);
  const auto change = [&](int insertPercent) {
    const Bytes begin(dice.roll(0, crowd));
    const Range range{begin, begin + Bytes(dice.roll(1, 3)),
                      StayId(static_cast<std::size_t>(dice.roll(0, 2)))};
    if (dice.chance(insertPercent)) {
      if (expected.insert(range).second) ranges.insert(range);
    } else {
      REQUIRE(ranges.erase(range) == (expected.erase(range) > 0));
    }
  };
  for (const int insertPercent : {90, 50, 10, 60, 5}) {
    for (int i = 0; i < 2'000; ++i) {
      change(insertPercent);
      REQUIRE(ranges.empty() == expected.empty());
      REQUIRE(ranges.top() == (expected.empty() ? Bytes() : expected.rbegin()->end));
      if (i % 3 == 0) REQUIRE(ranges.largestHole() == largestHole(expected));
    }
  }
}

}  // namespace hw
