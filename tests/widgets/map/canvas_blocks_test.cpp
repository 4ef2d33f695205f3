#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "core/picture/block_store.h"
#include "tests/widgets/support.h"
#include "widgets/map/map_raster.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// Rectangles in lanes: never overlapping, of all sizes from a crumb to a wall.
std::vector<Block> laneBlocks(std::uint64_t seed, std::size_t lanes, std::int64_t steps) {
  std::mt19937_64 random(seed);
  std::vector<Block> blocks;
  Bytes low;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Bytes high = low + Bytes(static_cast<std::int64_t>(1 + random() % 97));
    for (std::int64_t step = 0; step < steps;) {
      const auto end = step + 1 + static_cast<std::int64_t>(random() % 40);
      const auto kind = static_cast<TensorClass>(random() % 4);
      if (random() % 4) {
        blocks.push_back(
            {{AxisPlace(step), AxisPlace(end)}, {low, high}, StayId(blocks.size()), kind});
      }
      step = end;
    }
    low = high;
  }
  std::ranges::shuffle(blocks, random);
  return blocks;
}

MapRequest requestFor(MapWindow window, QSize size) {
  MapRequest request;
  request.window = window;
  request.size = size;
  request.colors = MapColors::of(Palette::light());
  return request;
}

}  // namespace

TEST_CASE("blocks are the live parts of placed stays, gaps left open", "[blocks]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->problem.stays[StayId(1)].steps = {0_st, 3_st};
  run->problem.gaps = {{StayId(1), {1_st, 2_st}}};
  const BlockStore store = BlockStore::ofPool(*run, PoolId(0));
  REQUIRE(store.size() == 5);
  const auto ofB = store.blocksOf(StayId(1));
  REQUIRE(ofB.size() == 2);
  CHECK(store.block(ofB[0]).span == Interval{AxisPlace(0), AxisPlace(1)});
  CHECK(store.block(ofB[1]).span == Interval{AxisPlace(2), AxisPlace(3)});
  CHECK(store.block(ofB[0]).bytes == Interval{4_B, 10_B});
}

TEST_CASE("regions lie one after the other", "[blocks]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->plan.regions[PoolId(0)] = {};
  run->plan.regions[PoolId(0)].add(10_B);
  run->plan.regions[PoolId(0)].add(10_B);
  run->plan.addresses[StayId(3)] = Address{PoolId(0), RegionId(1), 0_B};
  const BlockStore store = BlockStore::ofPool(*run, PoolId(0));
  CHECK(store.block(store.blocksOf(StayId(3))[0]).bytes == Interval{10_B, 20_B});
}

TEST_CASE("a stay that was never placed, or elsewhere, has no block", "[blocks]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->plan.addresses[StayId(0)].reset();
  run->plan.addresses[StayId(1)]->pool = PoolId(1);
  const BlockStore store = BlockStore::ofPool(*run, PoolId(0));
  CHECK(store.size() == 2);
  CHECK(store.blocksOf(StayId(0)).empty());
  CHECK(store.blocksOf(StayId(1)).empty());
  CHECK(store.blocksOf(StayId()).empty());
  CHECK(store.blocksOf(StayId(77)).empty());
}

TEST_CASE("visiting a window finds what looking at every block finds", "[blocks]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  CAPTURE(seed);
  const BlockStore store(laneBlocks(seed, 60, 900));
  std::mt19937_64 random(seed);
  const auto fraction = [&] { return static_cast<double>(random() % 10'000) / 10'000; };
  for (int round = 0; round < 30; ++round) {
    MapWindow window;
    window.begin = fraction() * 900;
    window.end = window.begin + 0.1 + fraction() * 300;
    window.lowByte = fraction() * 2'500;
    window.highByte = window.lowByte + 0.1 + fraction() * 600;
    std::set<std::size_t> expected;
    for (std::size_t i = 0; i < store.size(); ++i) {
      const Block block = store.block(i);
      if (static_cast<double>(block.span.begin.count()) < std::ceil(window.end) &&
          static_cast<double>(block.span.end.count()) > std::floor(window.begin) &&
          static_cast<double>(block.bytes.begin.count()) < std::ceil(window.highByte) &&
          static_cast<double>(block.bytes.end.count()) > std::floor(window.lowByte)) {
        expected.insert(i);
      }
    }
    std::set<std::size_t> found;
    store.visit(window, [&](std::size_t index) { found.insert(index); });
    CHECK(found == expected);
    CHECK(store.countNear(window) >= found.size());
  }
}

TEST_CASE("every pixel knows its block", "[raster]") {
  // Wide, so that many blocks share a pixel; narrow, so that few do; and a corner.
  const MapWindow window = GENERATE(MapWindow{0, 900, 0, 3'000}, MapWindow{100.3, 171.9, 200, 900},
                                    MapWindow{850.5, 1'000, 2'000.7, 4'000});
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{3}));
  CAPTURE(seed, window.begin);
  const BlockStore store(laneBlocks(seed, 60, 900));
  const MapRequest request = requestFor(window, {64, 36});
  const MapRaster raster = rasterize(store, request);
  struct Box {
    double left, right, top, bottom;
  };
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const Block b = store.block(i);
    boxes.push_back({request.toX(static_cast<double>(b.span.begin.count())),
                     request.toX(static_cast<double>(b.span.end.count())),
                     request.toY(static_cast<double>(b.bytes.end.count())),
                     request.toY(static_cast<double>(b.bytes.begin.count()))});
  }
  std::size_t wrong = 0;
  for (int y = 0; y < 36; ++y) {
    for (int x = 0; x < 64; ++x) {
      // The block under the pixel's centre; without one, of those that touch the pixel but are too
      // small to own a centre for sure, the one that begins in the highest row.
      std::optional<std::size_t> centre;
      std::optional<std::pair<int, std::size_t>> touching;
      for (std::size_t i = 0; i < store.size(); ++i) {
        const Box b = boxes[i];
        const bool inside =
            b.left <= x + 0.5 && x + 0.5 < b.right && b.top <= y + 0.5 && y + 0.5 < b.bottom;
        if (inside) centre = i;
        const bool tiny = b.right - b.left < 1 || b.bottom - b.top < 1;
        const bool touches = b.left < x + 1 && b.right > x && b.top < y + 1 && b.bottom > y;
        const std::pair candidate(std::max(0, static_cast<int>(std::floor(b.top))), i);
        if (tiny && touches && (!touching || candidate < *touching)) touching = candidate;
      }
      if (!centre && touching) centre = touching->second;
      if (raster.blockAt(x, y) != centre) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("outside the picture there is no block", "[raster]") {
  const BlockStore store({{{AxisPlace(0), AxisPlace(9)}, {0_B, 9_B}, StayId(0)}});
  const MapRaster raster = rasterize(store, requestFor({0, 9, 0, 9}, {20, 10}));
  CHECK(raster.blockAt(0, 0) == 0);
  for (const QPoint at : {QPoint(-1, 0), QPoint(0, -1), QPoint(20, 0), QPoint(0, 10)}) {
    CHECK_FALSE(raster.blockAt(at.x(), at.y()).has_value());
  }
}

TEST_CASE("neighbours meet without a gap and without overlap", "[raster]") {
  // Four blocks tile the window; every pixel is one of theirs and each has its share.
  const BlockStore store({{{AxisPlace(0), AxisPlace(3)}, {0_B, 5_B}, StayId(0)},
                          {{AxisPlace(3), AxisPlace(7)}, {0_B, 5_B}, StayId(1)},
                          {{AxisPlace(0), AxisPlace(3)}, {5_B, 7_B}, StayId(2)},
                          {{AxisPlace(3), AxisPlace(7)}, {5_B, 7_B}, StayId(3)}});
  const QSize size = GENERATE(QSize(7, 7), QSize(100, 61), QSize(33, 200));
  const MapRaster raster = rasterize(store, requestFor({0, 7, 0, 7}, size));
  CHECK(std::ranges::count(raster.ids, 0U) == 0);
  CHECK(raster.shared == 0);
  CHECK(raster.drawn == 4);
}

TEST_CASE("a lone block thinner than a pixel can still be seen and hovered", "[raster]") {
  const BlockStore store({{{AxisPlace(10), AxisPlace(500)}, {400_B, 401_B}, StayId(0)}});
  const MapRequest request = requestFor({0, 1000, 0, 1000}, {100, 50});
  const MapRaster raster = rasterize(store, request);
  const int row = static_cast<int>(request.toY(400.5));
  CHECK(raster.blockAt(20, row) == 0);
  const QColor seen = raster.past.pixelColor(20, row);
  const QColor plot(request.colors.plot);
  const int difference = std::abs(seen.red() - plot.red()) + std::abs(seen.green() - plot.green()) +
                         std::abs(seen.blue() - plot.blue());
  CHECK(difference > 40);
}

TEST_CASE("the more of a pixel is occupied, the stronger its colour", "[raster]") {
  const auto strengthOf = [](int blocks) {
    std::vector<Block> crumbs;
    for (int i = 0; i < blocks; ++i) {
      crumbs.push_back({{AxisPlace(0), AxisPlace(10)},
                        {Bytes(i * 10), Bytes(i * 10 + 10)},
                        StayId(static_cast<std::size_t>(i))});
    }
    const MapRaster raster = rasterize(BlockStore(crumbs), requestFor({0, 10, 0, 100}, {1, 1}));
    return 255 - raster.past.pixelColor(0, 0).red();
  };
  CHECK(strengthOf(1) > 0);
  CHECK(strengthOf(4) > strengthOf(1));
  CHECK(strengthOf(9) > strengthOf(4));
}

TEST_CASE("the same request gives the same picture", "[raster]") {
  const BlockStore store(laneBlocks(7, 40, 300));
  const MapRequest request = requestFor({0, 300, 0, 2'000}, {300, 200});
  const MapRaster once = rasterize(store, request);
  const MapRaster again = rasterize(store, request);
  CHECK(once.past == again.past);
  CHECK(once.future == again.future);
  CHECK(once.ids == again.ids);
}
