#include <catch2/catch.hpp>
#include <random>

#include "core/picture/chart_scene.h"
#include "tests/widgets/support.h"

using namespace hw;
using namespace hw::literals;

namespace {

StepFunction randomCurve(std::uint64_t seed, int pieces) {
  std::mt19937_64 random(seed);
  StepFunction curve;
  Step step;
  for (int i = 0; i < pieces; ++i) {
    curve.pieces.push_back({step, Bytes(static_cast<std::int64_t>(random() % 1'000'000))});
    step += Step(1 + static_cast<std::int64_t>(random() % 3));
  }
  return curve;
}

double highest(const std::vector<Point>& points) {
  return std::ranges::max_element(points, {}, [](const Point& p) { return p.y; })->y;
}

}  // namespace

TEST_CASE("stairs never slope, never go back and keep the peak", "[chart]") {
  const int pieces = GENERATE(1, 3, 500, 40'000);
  const auto limit = GENERATE(std::size_t{8}, std::size_t{200}, std::size_t{4'000});
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{4}));
  CAPTURE(pieces, limit, seed);
  const StepFunction curve = randomCurve(seed, pieces);
  const double end = static_cast<double>(curve.pieces.back().from.count()) + 1;
  const auto points = StairCurve(curve).stairs(0, end, limit);
  REQUIRE(points.size() >= 2);
  CHECK(points.size() <= limit);
  CHECK(points.front().x == 0);
  CHECK(points.back().x == end);
  bool slope = false;
  bool backwards = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    slope |= points[i].x != points[i - 1].x && points[i].y != points[i - 1].y;
    backwards |= points[i].x < points[i - 1].x;
  }
  CHECK_FALSE(slope);
  CHECK_FALSE(backwards);
  const auto peak = std::ranges::max_element(curve.pieces, {}, &StepFunction::Piece::value);
  CHECK(highest(points) == static_cast<double>(peak->value.count()));
}

TEST_CASE("stairs of many pieces reach every extreme of their columns", "[chart]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{8}));
  CAPTURE(seed);
  const StepFunction curve = randomCurve(seed, 20'000);
  std::mt19937_64 random(seed);
  const auto last = static_cast<double>(curve.pieces.back().from.count());
  const double begin = last * static_cast<double>(random() % 100) / 250;
  const double end = begin + last * static_cast<double>(20 + random() % 30) / 100;
  const auto points = StairCurve(curve).stairs(begin, end, 400);
  // From the points alone: the value that a column's line goes to, at the x where it stands.
  for (std::size_t i = 1; i + 1 < points.size();) {
    const double from = points[i].x;
    double most = points[i].y;
    double least = points[i].y;
    for (; i + 1 < points.size() && points[i].x == from; ++i) {
      most = std::max(most, points[i].y);
      least = std::min(least, points[i].y);
    }
    const double to = points[i].x;
    for (const auto& piece : curve.pieces) {
      const auto at = static_cast<double>(piece.from.count());
      if (at < from || at >= to) continue;
      if (double(piece.value.count()) > most || double(piece.value.count()) < least) {
        FAIL("a piece at step " << at << " sticks out of the column at " << from);
      }
    }
  }
}

TEST_CASE("stairs of a part show exactly what is in force there", "[chart]") {
  //  value  5 | ####
  //         2 |     ####
  //         0 +------------ steps 0..8, 7 from step 8
  const StepFunction curve{{{0_st, 5_B}, {4_st, 2_B}, {8_st, 7_B}}};
  const std::vector<Point> expected = {{2, 5}, {4, 5}, {4, 2}, {6, 2}};
  CHECK(StairCurve(curve).stairs(2, 6, 100) == expected);
  CHECK(StairCurve().stairs(2, 6, 100) == std::vector<Point>{{2, 0}, {6, 0}});
}

TEST_CASE("live bytes are those in use while each step runs", "[chart]") {
  //  step   0        1        2
  //  live   a4 b6    b6 c3    d10
  const auto run = test::smallRun();
  const StepFunction live = liveCurve(*run, PoolId(0));
  CHECK(live.pieces == std::vector<StepFunction::Piece>{{0_st, 10_B}, {1_st, 9_B}, {2_st, 10_B}});
}

TEST_CASE("live bytes agree with the stays at every step", "[chart]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{12}));
  CAPTURE(seed);
  const auto run = test::randomRun(seed, 60, 50);
  const StepFunction live = liveCurve(*run, PoolId(0));
  for (Step step; step < run->problem.steps; step += 1_st) {
    Bytes expected;
    for (const Stay& stay : run->problem.stays) {
      if (stay.steps.contains(step)) expected += stay.size;
    }
    Bytes shown;
    for (const auto& piece : live.pieces) {
      if (piece.from <= step) shown = piece.value;
    }
    CAPTURE(step.count());
    CHECK(shown == expected);
  }
}

TEST_CASE("high water never falls and ends at the footprint", "[chart]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{6}));
  CAPTURE(seed);
  const auto run = test::randomRun(seed, 60, 50);
  const StepFunction high = highWaterCurve(*run, PoolId(0));
  REQUIRE_FALSE(high.pieces.empty());
  CHECK(std::ranges::is_sorted(high.pieces, {}, &StepFunction::Piece::value));
  CHECK(high.pieces.back().value == run->plan.footprint(PoolId(0)));
}
