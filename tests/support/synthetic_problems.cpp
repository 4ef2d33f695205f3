#include "tests/support/synthetic_problems.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/support/problems.h"

namespace hw::test {
namespace {

/// Uniform in [0, 1).
double fraction(Dice& dice) {
  constexpr std::int64_t kParts = std::int64_t{1} << 40;
  return static_cast<double>(dice.roll(0, kParts - 1)) / static_cast<double>(kParts);
}

struct Rectangle {
  std::int64_t begin = 0;
  std::int64_t length = 1;
  std::int64_t size = 1;
};

/// Ids in order of the first step; equals stay as they come.
Problem problemFrom(std::vector<Rectangle> rectangles) {
  std::ranges::stable_sort(rectangles, {}, &Rectangle::begin);
  Problem problem;
  problem.pools.add({.name = "L2"});
  problem.stays.reserve(rectangles.size());
  for (const Rectangle& rectangle : rectangles) {
    const Step begin(rectangle.begin);
    const Step end = begin + Step(rectangle.length);
    problem.stays.add({.buffer = BufferId(problem.stays.size()),
                       .steps = {begin, end},
                       .size = Bytes(rectangle.size)});
    problem.steps = std::max(problem.steps, end);
  }
  return problem;
}

/// A part of the plane that becomes `tiles` tiles; `height` in units of 64 bytes.
struct Area {
  std::int64_t begin = 0;
  std::int64_t length = 1;
  std::int64_t height = 1;
  std::int64_t tiles = 1;
};

/// Where `length` is cut in two: anywhere between a quarter and three quarters.
std::int64_t cutOf(Dice& dice, std::int64_t length) {
  const auto cut =
      static_cast<std::int64_t>(static_cast<double>(length) * (0.25 + 0.5 * fraction(dice)));
  return std::clamp<std::int64_t>(cut, 1, length - 1);
}

/// Cuts `area`, which is to become at least two tiles, and shares the tiles out by size.
std::pair<Area, Area> cutInTwo(Dice& dice, const Area& area) {
  Area low = area;
  Area high = area;
  const bool inTime = area.height < 2 || (area.length > 1 && dice.chance(50));
  if (inTime) {
    low.length = cutOf(dice, area.length);
    high.length = area.length - low.length;
    high.begin += low.length;
  } else {
    low.height = cutOf(dice, area.height);
    high.height = area.height - low.height;
  }
  const std::int64_t roomLow = low.length * low.height;
  const std::int64_t roomHigh = high.length * high.height;
  const double share = static_cast<double>(roomLow) / static_cast<double>(roomLow + roomHigh);
  low.tiles = std::clamp(static_cast<std::int64_t>(static_cast<double>(area.tiles) * share),
                         std::max<std::int64_t>(1, area.tiles - roomHigh),
                         std::min(area.tiles - 1, roomLow));
  high.tiles = area.tiles - low.tiles;
  return {low, high};
}

void shuffle(Dice& dice, std::vector<Rectangle>& rectangles) {
  for (std::size_t i = rectangles.size(); i > 1; --i) {
    const std::int64_t other = dice.roll(0, static_cast<std::int64_t>(i) - 1);
    std::swap(rectangles[i - 1], rectangles[static_cast<std::size_t>(other)]);
  }
}

}  // namespace

Problem randProblem(std::size_t stays, std::uint64_t seed) {
  Dice dice(seed);
  const auto steps = static_cast<std::int64_t>(stays);
  std::vector<Rectangle> rectangles(stays);
  for (Rectangle& rectangle : rectangles) {
    rectangle.begin = dice.roll(0, steps - 1);
    rectangle.length = 1 + static_cast<std::int64_t>(-32 * std::log(1 - fraction(dice)));
    rectangle.size = static_cast<std::int64_t>(64 * std::exp2(14 * fraction(dice)));
  }
  return problemFrom(std::move(rectangles));
}

Problem inferProblem(std::size_t stays, std::uint64_t seed) {
  Dice dice(seed);
  std::array<std::int64_t, 32> classes{};
  for (std::int64_t& size : classes) {
    size = 64 * static_cast<std::int64_t>(std::exp2(14 * fraction(dice)));
  }
  const std::int64_t steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(stays) / 8);
  std::vector<Rectangle> rectangles(stays);
  for (Rectangle& rectangle : rectangles) {
    rectangle.begin = dice.roll(0, steps - 1);
    rectangle.length = dice.roll(1, 3);
    rectangle.size = classes[static_cast<std::size_t>(dice.roll(0, 31))];
  }
  return problemFrom(std::move(rectangles));
}

Problem tileProblem(std::size_t stays, std::uint64_t seed) {
  constexpr std::int64_t kUnit = 64;
  constexpr std::int64_t kHeight = (std::int64_t{64} << 20) / kUnit;
  Dice dice(seed);
  const auto count = static_cast<std::int64_t>(stays);
  std::vector<Rectangle> rectangles;
  std::vector<Area> open;
  if (stays > 0) open.push_back({0, count, kHeight, count});
  while (!open.empty()) {
    const Area area = open.back();
    open.pop_back();
    if (area.tiles == 1) {
      rectangles.push_back({area.begin, area.length, area.height * kUnit});
      continue;
    }
    const auto [low, high] = cutInTwo(dice, area);
    open.push_back(low);
    open.push_back(high);
  }
  shuffle(dice, rectangles);
  return problemFrom(std::move(rectangles));
}

}  // namespace hw::test
