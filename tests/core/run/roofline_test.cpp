#include "core/run/roofline.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <regex>

#include "core/machine/platforms.h"
#include "core/picture/charts/roofline_scene.h"
#include "core/picture/svg_canvas.h"
#include "core/sim/port_curve.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"

using namespace hw;

namespace {

/// 64 MACs a nanosecond; L2 moves 16 bytes in one, L3 a quarter of a byte.
Platform roofBoard() {
  return parsePlatform(R"(name = "roofs"
[[device]]
name = "npu"
ops = ["*"]
pool = [{name = "L2", bandwidth = "16GB/s"}, {name = "L3", bandwidth = "250MB/s"}]
unit = [{name = "mac", ops = ["*"], clock = "1GHz", macs_per_cycle = 64}]
)")
      .value();
}

/// Convolutions take `each` cycles a MAC; 16 MACs a cycle are the most of the other laws.
Platform lawBoard(double each = 0.25) {
  return parsePlatform(fmt::format(R"(name = "laws"
[[device]]
name = "cpu"
ops = ["*"]
pool = [{{name = "L2", bandwidth = "16GB/s"}}]
[[device.unit]]
name = "core"
ops = ["*"]
clock = "1GHz"
macs_per_cycle = 2
cycles = "table"
table = {{ convolution = {{ call = 10, mac = {} }}, pointwise = {{ mac = 0.0625 }} }}
)",
                                   each))
      .value();
}

std::shared_ptr<const Run> roofRun(const Platform& platform, const char* sample) {
  return test::mustRun(test::sample(sample), test::requestOn(platform, "greedy-by-size"));
}

}  // namespace

TEST_CASE("an operator stands under the lower of two roofs", "[run][roofline]") {
  const auto run = roofRun(roofBoard(), "resnet8");
  std::size_t byPort = 0;
  std::size_t byCompute = 0;
  for (const RoofDot& dot : roofline(*run)) {
    const OpTiming& timing = run->timing.ops[static_cast<std::size_t>(dot.step.count())];
    CAPTURE(dot.step.count());
    CHECK(dot.peak == 64e9);
    // Weights alone come from L3: the port that takes longest is the one that its roof is of.
    const bool far = timing.memory[PoolId(1)] > timing.memory[PoolId(0)];
    REQUIRE(dot.port.has_value());
    CHECK(*dot.port == (far ? 1U : 0U));
    CHECK(dot.bytes == timing.moved[PoolId(far ? 1 : 0)]);
    const double slope = dot.intensity() * (far ? 250e6 : 16e9);
    CHECK(dot.roof == Approx(std::min(64e9, slope)));
    CHECK(roofName(*run, dot) == (dot.byCompute ? "compute" : far ? "L3" : "L2"));
    // One thing after the other, and all of the array at work: nothing lies above, and what a
    // port holds up lies on its roof.
    CHECK(dot.attained <= dot.roof * 1.0001);
    if (!dot.byCompute) CHECK(dot.attained == Approx(dot.roof).epsilon(0.01));
    ++(dot.byCompute ? byCompute : byPort);
  }
  CHECK(byPort > 0);
  CHECK(byCompute > 0);
}

TEST_CASE("what has no MACs, or no time, has no place in the roofline", "[run][roofline]") {
  const auto run = roofRun(roofBoard(), "resnet8");
  std::size_t without = 0;
  for (std::size_t step = 0; step < run->timing.ops.size(); ++step) {
    const auto dot = roofDot(*run, Step(static_cast<std::int64_t>(step)));
    CHECK(dot.has_value() == (run->timing.ops[step].macs > 0));
    if (!dot) ++without;
  }
  CHECK(without > 0);
  CHECK_FALSE(roofDot(*run, run->schedule.steps()).has_value());
  CHECK(roofline(*roofRun(roofBoard(), "free_list_merge")).empty());
}

TEST_CASE("no operator is faster than its roof, by any cost model", "[run][roofline]") {
  std::vector<Platform> platforms(platformCatalog().begin(), platformCatalog().end());
  platforms.push_back(lawBoard());
  for (const Platform& platform : platforms) {
    const auto run = roofRun(platform, "resnet8");
    for (const RoofDot& dot : roofline(*run)) {
      const Activity& activity = run->timing.activities.activities[dot.activity];
      const UnitSpec& unit =
          platform.devices[activity.device]
              .units[run->timing.ops[static_cast<std::size_t>(dot.step.count())].unit];
      CAPTURE(platform.name, dot.step.count());
      CHECK(dot.peak == Approx(peakMacs(unit) * static_cast<double>(unit.clock)));
      CHECK(dot.attained <= dot.roof * 1.0001);
    }
  }
}

TEST_CASE("the peak of a unit is that of its kernels or laws, and of its rate", "[run][roofline]") {
  const Platform laws = lawBoard();
  CHECK(peakMacs(laws.devices[0].units[0]) == 16);
  UnitSpec unit{.macsPerCycle = 12};
  CHECK(peakMacs(unit) == 12);
  unit.cost.model = costModelNamed("pulp-nn");
  CHECK(peakMacs(unit) == Approx(256.0 / 14));
  unit.macsPerCycle = 20;  // Of operators without kernels.
  CHECK(peakMacs(unit) == 20);
}

TEST_CASE("what costs the same whatever its size has what it attains for its roof",
          "[run][roofline]") {
  const auto run = roofRun(lawBoard(0), "resnet8");
  bool above = false;
  for (const RoofDot& dot : roofline(*run)) above = above || dot.peak > 16e9;
  CHECK(above);
}

TEST_CASE("names of slopes stand apart in small pictures", "[picture][roofline]") {
  const auto run = roofRun(findPlatform("ethos-u55-256").value(), "resnet8");
  const RooflineScene scene = RooflineScene::whole(run);
  const auto width = GENERATE(240.0, 280.0, 320.0, 400.0, 600.0);
  SvgCanvas canvas(width, 190, "roofs", 12, &Palette::light());
  drawRoofline(canvas, scene, {0, 0, width, 190});
  const std::string svg = canvas.finish();
  const auto lineOf = [&](const std::string& words) {
    std::smatch found;
    REQUIRE(std::regex_search(svg, found, std::regex("y=\"([0-9.]+)\"[^>]*>" + words)));
    return std::stod(found[1]);
  };
  CAPTURE(width);
  CHECK(std::abs(lineOf("L2 4.00 GB/s") - lineOf("L3 500 MB/s")) >= 10);
}

TEST_CASE("the roofline draws a dot an operator, and names its roofs", "[picture][roofline]") {
  const auto run = roofRun(roofBoard(), "resnet8");
  RooflineScene scene = RooflineScene::whole(run);
  CHECK(scene.all == roofline(*run).size());
  const auto draw = [&](double width, double height) {
    SvgCanvas canvas(width, height, "roofs", 12, &Palette::light());
    drawRoofline(canvas, scene, {0, 0, width, height});
    return canvas.finish();
  };
  const std::string svg = draw(900, 400);
  for (const RoofDot& dot : scene.dots) {
    CHECK(svg.find("id=\"op-" + std::to_string(dot.step.count()) + "\"") != std::string::npos);
  }
  for (const char* words : {"mac 64.0 GMAC/s", "L3 250 MB/s", "MACs/B"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != std::string::npos);
  }
  scene.selected = scene.dots.front();
  CHECK(draw(900, 400).find(">conv0<") != std::string::npos);
  CHECK(draw(240, 180).find("NaN") == std::string::npos);
  // Without an operator in it there is nothing to draw.
  scene = RooflineScene::whole(roofRun(roofBoard(), "free_list_merge"));
  CHECK(scene.isEmpty());
  CHECK(draw(900, 400).find("Roofline") == std::string::npos);
}
