#include "core/report/model/laid_out.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

Graph graphWith(const std::vector<Shape>& shapes, std::int64_t element) {
  Graph graph;
  for (const Shape& shape : shapes) {
    std::int64_t bytes = element;
    for (const std::int64_t size : shape) bytes *= size;
    graph.tensors.add({.name = "t" + std::to_string(shape[0]),
                       .dtype = Dtype::int8,
                       .shape = shape,
                       .bytes = Bytes(bytes)});
  }
  return graph;
}

LaidOut only(const Shape& shape, const Shape& tile) {
  const auto rows = laidOut(graphWith({shape}, 4), tile);
  REQUIRE(rows.size() == 1);
  return rows.front();
}

/// Bytes of elements of four, each axis of `order` as long as the tile makes it.
std::int64_t padded(const Shape& shape, const std::vector<std::size_t>& order, const Shape& tile) {
  std::int64_t bytes = 4;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t fromEnd = order.size() - i;
    std::int64_t size = shape[order[i]];
    while (fromEnd <= tile.size() && size % tile[tile.size() - fromEnd] != 0) ++size;
    bytes *= size;
  }
  return bytes;
}

}  // namespace

TEST_CASE("tensors in tiles take what others measured", "[report]") {
  // 1.00 GiB that took 32.00 (DifferentiableUniverseInitiative/flowpm, issue 27), and 285 MiB that
  // took 570 (pytorch/xla, issue 3041).
  const LaidOut particles = only({8'388'608, 8, 4}, {8, 128});
  CHECK(particles.bytes == 1'024_MiB);
  CHECK(particles.laid == 32'768_MiB);
  CHECK(particles.factor() == 32);
  CHECK(particles.least == 1'024_MiB);
  CHECK(padded({8'388'608, 8, 4}, particles.order, {8, 128}) == (1'024_MiB).count());
  const LaidOut text = only({29'184, 1, 2'560}, {2, 128});
  CHECK(text.bytes == 285_MiB);
  CHECK(text.laid == 570_MiB);
  CHECK(text.least == 285_MiB);
  CHECK(text.order == std::vector<std::size_t>{1, 0, 2});
  // Of a list only the last side counts.
  CHECK(only({5}, {8, 128}).laid == Bytes(512));
}

TEST_CASE("no order of axes takes less than the best", "[report]") {
  for (const auto seed : test::Seeds(100)) {
    std::mt19937_64 random(seed);
    const auto roll = [&](std::int64_t most) {
      return std::uniform_int_distribution<std::int64_t>(1, most)(random);
    };
    Shape shape(static_cast<std::size_t>(roll(4)));
    for (std::int64_t& size : shape) size = roll(40);
    Shape tile(static_cast<std::size_t>(roll(3)));
    for (std::int64_t& side : tile) side = roll(16);
    CAPTURE(seed, shape, tile);
    const LaidOut row = only(shape, tile);
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    CHECK(row.laid.count() == padded(shape, order, tile));
    CHECK(row.least.count() == padded(shape, row.order, tile));
    do {
      CHECK(row.least.count() <= padded(shape, order, tile));
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST_CASE("tensors come by what tiles add, and no number overflows", "[report]") {
  const Graph graph = graphWith({{1, 1}, {3, 1}, {2, 128}}, 1);
  const auto rows = laidOut(graph, {2, 128});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].laid - rows[0].bytes == Bytes(512 - 3));
  CHECK(rows[2].factor() == 1);
  const Json json = laidOutJson(graph, {2, 128});
  CHECK(json["bytes"] == 1 + 3 + 256);
  CHECK(json["laid_out"] == 256 + 512 + 256);
  const std::string text = laidOutText(graph, {2, 128}, {.rows = 1});
  CHECK(text.find("t3") != std::string::npos);
  CHECK(text.find("t2") == std::string::npos);
  CHECK(laidOutText(graph, {1}, {}).find("no tensor is larger") != std::string::npos);
  CHECK(json["left_out"] == 0);
  // Larger than any number of bytes in tiles: left out.
  const Graph large = graphWith({{2, 1}}, std::int64_t{1} << 50);
  CHECK(laidOutJson(large, {65'536, 65'536})["left_out"] == 1);
  CHECK(
      laidOut(graphWith({Shape(20, 1), {2, 1}}, std::int64_t{1} << 50), {65'536, 65'536}).empty());
}

TEST_CASE("a tile has sides", "[report]") {
  CHECK(test::must(parseTile("8x128")) == Shape{8, 128});
  CHECK(test::must(parseTile("128")) == Shape{128});
  for (const char* bad : {"", "8x", "0x1", "8x128x1x1x1", "8*128", "65537", "-1x2"}) {
    CAPTURE(bad);
    CHECK(parseTile(bad).error().message.find("is no tile: expected one to 4 sides") !=
          std::string::npos);
  }
}
