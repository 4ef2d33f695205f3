// Peak against latency: who is on the front, and that a picture says it.
#include <catch2/catch.hpp>

#include "core/picture/front_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/problems.h"

using namespace hw;

namespace {

ParetoPoint point(const char* name, std::int64_t peak, std::int64_t latency) {
  return {.name = name, .peak = Bytes(peak), .latency = SimTime(latency)};
}

std::string svgOf(const ParetoScene& scene, double width = 800) {
  SvgCanvas canvas(width, 400, "a picture", 12, &Palette::light());
  drawPareto(canvas, scene, {0, 0, width, 400});
  return canvas.finish();
}

}  // namespace

TEST_CASE("the front is what no other plan undercuts in both", "[picture][property]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    test::Dice dice(seed);
    std::vector<ParetoPoint> points;
    for (std::int64_t i = dice.roll(1, 30); i > 0; --i) {
      points.push_back(point("p", dice.roll(1, 12), dice.roll(1, 12)));
    }
    const auto front = paretoFront(points);
    const auto undercuts = [](const ParetoPoint& a, const ParetoPoint& b) {
      return a.peak <= b.peak && a.latency <= b.latency &&
             (a.peak < b.peak || a.latency < b.latency);
    };
    for (const ParetoPoint& each : points) {
      const bool worse = std::ranges::any_of(
          points, [&](const ParetoPoint& other) { return undercuts(other, each); });
      CHECK((std::ranges::find(front, each) != front.end()) == !worse);
    }
    for (std::size_t i = 1; i < front.size(); ++i) {
      CHECK(front[i].latency > front[i - 1].latency);
      CHECK(front[i].peak < front[i - 1].peak);
    }
  }
}

TEST_CASE("a picture of the front names every plan and both walls", "[picture]") {
  const ParetoScene scene{
      .title = "chain",
      .points = {point("tight", 1'000, 9'000'000), point("quick", 4'000, 5'000'000),
                 point("lost", 4'500, 9'500'000), point("same", 1'000, 9'000'000)},
      .lowerBound = Bytes(900),
      .latencyBound = SimTime(4'000'000)};
  const std::string svg = svgOf(scene);
  for (const char* words : {"tight, same", "quick", "lost", "no plan needs less",
                            "no plan is faster", "latency", "chain"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != std::string::npos);
  }
  CHECK(svgOf(scene) == svg);
  // One plan, and no walls: still a picture.
  CHECK(svgOf({.title = "one", .points = {point("alone", 0, 0)}}).find("alone") !=
        std::string::npos);
  CHECK(svgOf({.title = "none"}).find("none") != std::string::npos);
}

TEST_CASE("with little room a picture of the front says what it shows", "[picture]") {
  const ParetoScene scene{.title = "squeezenet", .points = {point("alone", 1, 1)}};
  CHECK(svgOf(scene).find(">squeezenet   peak against latency<") != std::string::npos);
  CHECK(svgOf(scene, 260).find(">peak against latency<") != std::string::npos);
}
