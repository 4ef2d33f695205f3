#include "widgets/graph/graph_layout.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "widgets/graph/least_squares.h"
#include "widgets/graph/model_graph.h"

using namespace hw;

namespace {

bool never() { return false; }

/// A random graph whose edges lead to higher indices; boxes of different sizes.
LayoutInput randomInput(std::uint32_t seed, std::size_t boxes) {
  std::mt19937 random(seed);
  LayoutInput input;
  for (std::size_t i = 0; i < boxes; ++i) {
    input.boxes.emplace_back(40 + random() % 120, 20 + random() % 30);
  }
  for (std::uint32_t to = 1; to < boxes; ++to) {
    const std::uint32_t from = to - 1 - static_cast<std::uint32_t>(random() % std::min(to, 4U));
    input.edges.emplace_back(from, to);
    if (random() % 4 == 0) input.edges.emplace_back(static_cast<std::uint32_t>(random() % to), to);
  }
  std::ranges::sort(input.edges);
  const auto [first, last] = std::ranges::unique(input.edges);
  input.edges.erase(first, last);
  return input;
}

QRectF boxOf(const LayoutInput& input, const GraphLayout& layout, std::size_t i) {
  const QSizeF size = input.boxes[i];
  return {layout.centres[i] - QPointF(size.width() / 2, size.height() / 2), size};
}

/// What any layout owes its reader.
void checkLayout(const LayoutInput& input, const GraphLayout& layout) {
  REQUIRE(layout.centres.size() == input.boxes.size());
  REQUIRE(layout.routes.size() == input.edges.size());
  std::size_t overlaps = 0;
  for (std::size_t i = 0; i < input.boxes.size(); ++i) {
    const QRectF box = boxOf(input, layout, i);
    CHECK(layout.bounds.adjusted(-1, -1, 1, 1).contains(box));
    for (std::size_t j = 0; j < i; ++j) overlaps += box.intersects(boxOf(input, layout, j));
  }
  CHECK(overlaps == 0);
  for (std::size_t i = 0; i < input.edges.size(); ++i) {
    const auto [from, to] = input.edges[i];
    CHECK(layout.centres[from].y() < layout.centres[to].y());
    REQUIRE_FALSE(layout.routes[i].isEmpty());
    const QRectF begin = boxOf(input, layout, from).adjusted(-2, -2, 2, 2);
    const QRectF end = boxOf(input, layout, to).adjusted(-2, -2, 2, 2);
    CHECK(begin.contains(layout.routes[i].pointAtPercent(0)));
    CHECK(end.contains(layout.routes[i].pointAtPercent(1)));
  }
}

}  // namespace

TEST_CASE("boxes never overlap and edges lead down from box to box", "[graph]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U);
  const LayoutInput input = randomInput(seed, 2 + seed * 11);
  CAPTURE(seed, input.boxes.size(), input.edges.size());
  SECTION("in layers") {
    const auto layout = layOutInLayers(input, never);
    REQUIRE(layout);
    checkLayout(input, *layout);
  }
  SECTION("with dot") {
    const auto layout = layOutWithDot(input);
    REQUIRE(layout);
    checkLayout(input, *layout);
  }
}

TEST_CASE("a graph without boxes, and one box alone, have layouts", "[graph]") {
  const auto none = layOut({}, never);
  REQUIRE(none);
  CHECK(none->centres.empty());
  const auto one = layOut({.boxes = {QSizeF(10, 10)}}, never);
  REQUIRE(one);
  CHECK(one->centres.size() == 1);
}

TEST_CASE("laying out gives up when it is told to", "[graph]") {
  const LayoutInput input = randomInput(7, 4'000);
  REQUIRE_FALSE(isSmallEnoughForDot(input));
  int asked = 0;
  CHECK_FALSE(layOut(input, [&] { return ++asked > 3; }));
  CHECK(asked == 4);
}

TEST_CASE("five thousand boxes are laid out, too", "[graph]") {
  const LayoutInput input = randomInput(8, 5'000);
  const auto layout = layOut(input, never);
  REQUIRE(layout);
  checkLayout(input, *layout);
}

TEST_CASE("long skips are not left to dot when there are too many", "[graph]") {
  // A chain of boxes, the first of which is read by all others.
  const auto chain = [](std::uint32_t count, bool skips) {
    LayoutInput input{.boxes = std::vector<QSizeF>(count, QSizeF(40, 20))};
    for (std::uint32_t i = 1; i < count; ++i) input.edges.emplace_back(i - 1, i);
    for (std::uint32_t i = 2; skips && i < count; ++i) input.edges.emplace_back(0, i);
    return input;
  };
  CHECK(isSmallEnoughForDot(chain(400, false)));
  CHECK(isSmallEnoughForDot(chain(100, true)));
  CHECK_FALSE(isSmallEnoughForDot(chain(400, true)));  // 79,002 layers crossed.
  CHECK(layOut(chain(400, true), never));
}

TEST_CASE("samples with many skips are laid out", "[graph]") {
  const std::string sample = GENERATE("gpt2_kv_cache", "densenet121");
  const auto model = std::make_shared<const Model>(openModel("samples:" + sample, {}).value());
  RunRequest request;
  request.allocator = AllocatorChoice::parse("in-order").value();
  request.platform = platformCatalog().front();
  const auto run = execute(model, request, {}).value();
  std::vector<OpRange> ranges;
  for (std::size_t i = 0; i < run->graph().ops.size(); ++i) ranges.push_back({i, i + 1});
  const ModelGraph graph = modelGraph(*run, ranges);
  LayoutInput input{.boxes = std::vector<QSizeF>(graph.nodes.size(), QSizeF(90, 28))};
  for (const GraphEdge& edge : graph.edges) input.edges.emplace_back(edge.from, edge.to);
  const auto layout = layOut(input, never);
  REQUIRE(layout);
  checkLayout(input, *layout);
}

TEST_CASE("places apart are as close to what was wanted as they can be", "[graph]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> anywhere(-50, 50);
  std::vector<double> wanted, weights, gaps;
  for (int i = 0; i < 12; ++i) {
    wanted.push_back(anywhere(random));
    weights.push_back(1 + static_cast<double>(random() % 5));
    if (i > 0) gaps.push_back(static_cast<double>(random() % 20));
  }
  const auto placed = placeApart(wanted, weights, gaps);
  const auto cost = [&](const std::vector<double>& places) {
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      sum += weights[i] * (places[i] - wanted[i]) * (places[i] - wanted[i]);
    }
    return sum;
  };
  for (std::size_t i = 1; i < placed.size(); ++i) {
    CHECK(placed[i] - placed[i - 1] >= gaps[i - 1] - 1e-9);
  }
  CAPTURE(seed);
  // No stretch of neighbours can be moved together to lower the cost.
  for (std::size_t first = 0; first < placed.size(); ++first) {
    for (std::size_t last = first; last < placed.size(); ++last) {
      for (const double by : {-0.01, 0.01}) {
        auto moved = placed;
        for (std::size_t i = first; i <= last; ++i) moved[i] += by;
        bool allowed = true;
        for (std::size_t i = 1; i < moved.size(); ++i) {
          allowed = allowed && moved[i] - moved[i - 1] >= gaps[i - 1] - 1e-12;
        }
        if (allowed) CHECK(cost(moved) >= cost(placed) - 1e-9);
      }
    }
  }
}
