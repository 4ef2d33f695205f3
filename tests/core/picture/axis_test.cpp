#include "core/picture/axis.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/chart_scene.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/methods.h"

using namespace hw;

namespace {

/// "KiB" of "40 KiB".
std::string unitOf(const std::string& label) { return label.substr(label.find(' ') + 1); }

}  // namespace

TEST_CASE("zooming keeps the step under the pointer", "[axis]") {
  const double x = GENERATE(70.0, 70.5, 333.0, 1069.0);
  const double factor = GENERATE(0.5, 1.2, 7.0);
  const RunAxis axis{12.5, 90.25, 70, 1000};
  const RunAxis zoomed = axis.zoomed(factor, x);
  CHECK(zoomed.toPlace(x) == Approx(axis.toPlace(x)));
  CHECK((zoomed.end - zoomed.begin) * factor == Approx(axis.end - axis.begin));
}

TEST_CASE("panning moves every step by the same pixels", "[axis]") {
  const RunAxis axis{10, 30, 70, 400};
  CHECK(axis.panned(25).toX(17) == Approx(axis.toX(17) + 25));
}

TEST_CASE("steps and pixels are each other's inverse", "[axis]") {
  const RunAxis axis{3, 11, 70, 777};
  for (double x = 70; x < 847; x += 13.7) CHECK(axis.toX(axis.toPlace(x)) == Approx(x));
}

TEST_CASE("step marks are whole, round and far enough apart", "[axis]") {
  const double end = GENERATE(0.25, 3.0, 67.0, 5'000.0, 2e9);
  const RunAxis axis{0, end, 70, 1000};
  const auto ticks = axis.ticks(60);
  REQUIRE_FALSE(ticks.empty());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    CHECK(ticks[i].value == std::floor(ticks[i].value));
    if (i > 0) CHECK(axis.toX(ticks[i].value) - axis.toX(ticks[i - 1].value) >= 59.999);
  }
  CHECK(ticks.front().label == "0");
}

TEST_CASE("addresses grow upwards when the length is negative", "[axis]") {
  const ByteAxis axis{0, 1024, 500, -400};
  CHECK(axis.toPixel(0) == Approx(500));
  CHECK(axis.toPixel(1024) == Approx(100));
  CHECK(axis.toBytes(300) == Approx(512));
  CHECK(axis.zoomed(3, 222).toBytes(222) == Approx(axis.toBytes(222)));
}

TEST_CASE("byte marks name one binary unit and stay apart at any zoom", "[axis]") {
  const double high = GENERATE(16.0, 900.0, 170.0 * 1024, 3.3 * 1024 * 1024, 1.1e15, 1.1e18);
  const ByteAxis axis{0, high, 500, -400};
  const auto ticks = axis.ticks(30);
  REQUIRE(ticks.size() >= 2);
  CHECK(ticks[0].label == "0");
  const std::string unit = unitOf(ticks[1].label);
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    CHECK(unitOf(ticks[i].label) == unit);
    CHECK(axis.toPixel(ticks[i - 1].value) - axis.toPixel(ticks[i].value) >= 29.999);
  }
}

TEST_CASE("a deep zoom at the far end of the address space still ends", "[axis]") {
  const double far = 1e18;
  const ByteAxis axis{far, far + 16, 500, -400};
  CHECK(axis.ticks(30).size() <= 1000);
}

TEST_CASE("byte marks say what they are", "[axis]") {
  const ByteAxis axis{0, 170.0 * 1024, 400, -400};
  const auto ticks = axis.ticks(90);
  REQUIRE(ticks.size() == 4);
  CHECK(ticks[1].label == "50 KiB");
  CHECK(ticks[1].value == 50.0 * 1024);
}

TEST_CASE("an axis that reaches a mebibyte is marked in parts of one", "[axis]") {
  const ByteAxis axis{0, 1.9 * 1024 * 1024, 400, -400};
  const auto ticks = axis.ticks(90);
  REQUIRE(ticks.size() == 4);
  CHECK(ticks[1].label == "0.5 MiB");
  CHECK(ticks[2].label == "1 MiB");
  CHECK(ticks[3].label == "1.5 MiB");
  CHECK(ticks[3].value == 1.5 * 1024 * 1024);
  CHECK(axis.ticks(40)[3].label == "0.75 MiB");
}

TEST_CASE("in hexadecimal, addresses are marked at powers of two", "[axis]") {
  for (const double high : {16.0, 1'000.0, 65'536.0, 3e6, 5e9}) {
    const ByteAxis axis{.low = 0, .high = high, .start = 0, .length = 400, .hex = true};
    const auto ticks = axis.ticks(40);
    REQUIRE(ticks.size() >= 2);
    CHECK(ticks.front().label == "0");
    const double distance = ticks[1].value;
    CHECK(std::exp2(std::round(std::log2(distance))) == distance);
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      CHECK(ticks[i].label.starts_with("0x"));
      CHECK(static_cast<double>(std::stoull(ticks[i].label, nullptr, 16)) == ticks[i].value);
      CHECK(axis.toPixel(ticks[i].value) - axis.toPixel(ticks[i - 1].value) >= 40);
    }
  }
}

// Time as the axis: where steps, blocks and curves lie, judged by the activities themselves.

using namespace hw::test;

namespace {

std::shared_ptr<const Run> playedInTime(const char* name, const char* platform,
                                        ResidencyRule rule) {
  RunRequest request = workedRequest("greedy-by-size");
  request.platform = openPlatform(platform).value();
  request.residency = rule;
  request.l2 = {};
  const auto model = std::make_shared<const Model>(openModel(name, {}).value());
  return mustRun(model, request);
}

std::shared_ptr<const Run> anyTimedRun() {
  const auto name = GENERATE("samples:resnet8", "samples:squeezenet", "samples:inception_v3");
  const auto [platform, rule] =
      GENERATE(table<const char*, ResidencyRule>({{"generic-npu", ResidencyRule::wholeLife},
                                                  {"ethos-u65-512", ResidencyRule::wholeLife},
                                                  {"ethos-u65-512", ResidencyRule::belady},
                                                  {"gap9", ResidencyRule::lru}}));
  CAPTURE(name, platform, rule);
  return playedInTime(name, platform, rule);
}

}  // namespace

TEST_CASE("columns of steps tile an axis of time, and places go there and back", "[picture]") {
  const auto run = anyTimedRun();
  const RunScale scale(*run, AxisUnit::time);
  REQUIRE(scale.length() == onAxis(run->timing.makespan));
  CHECK(scale.begin(Step(0)) == 0);
  const Step steps = stepsOf(*run);
  for (Step step; step < steps; step += Step(1)) {
    CAPTURE(step.count());
    const double begin = scale.begin(step);
    const double end = scale.begin(step + Step(1));
    REQUIRE(begin <= end);
    const auto index = static_cast<std::size_t>(step.count());
    CHECK(begin >= onAxis(run->timing.ops[index].time.begin) - (index == 0 ? scale.length() : 0));
    CHECK(scale.during(step).begin == onAxis(run->timing.ops[index].time.begin));
    if (begin == end) continue;
    CHECK(scale.stepAt(begin) == step);
    CHECK(scale.stepAt((begin + end) / 2) == step);
    const double place = begin + (end - begin) / 3;
    CHECK(scale.fromSteps(scale.toSteps(place)) == Approx(place).epsilon(1e-12));
  }
  CHECK(scale.begin(steps) == scale.length());
  CHECK(scale.toSteps(scale.length()) == steps.real());
}

TEST_CASE("a block in time lasts from the first to the last activity that touches it",
          "[picture]") {
  const auto run = anyTimedRun();
  if (run->timing.activities.sequential()) return;  // There the plan's own story is told.
  struct Life {
    std::int64_t begin;
    std::int64_t end;
  };
  std::map<std::size_t, Life> lives;
  const ActivityList& list = run->timing.activities;
  for (const ActivityId id : list.activities.keys()) {
    const ActivityTime& time = run->timing.times[id];
    for (const Access& access : list.activities[id].accesses) {
      const Life own{time.start.count(), time.end.count()};
      const auto [at, fresh] = lives.try_emplace(access.stay.index(), own);
      at->second.begin = std::min(at->second.begin, own.begin);
      at->second.end = std::max(at->second.end, own.end);
    }
  }
  REQUIRE(run->problem.gaps.empty());
  std::size_t blocks = 0;
  for (const PoolId pool : run->problem.pools.keys()) {
    const BlockStore store = BlockStore::ofPool(*run, pool, AxisUnit::time);
    CHECK(store.unit() == AxisUnit::time);
    const BlockStore steps = BlockStore::ofPool(*run, pool);
    for (std::size_t i = 0; i < store.size(); ++i) {
      const Block block = store.block(i);
      CAPTURE(pool.index(), block.stay.index());
      const PlacedStay& stay = list.stays[block.stay];
      const Life& life = lives.at(block.stay.index());
      // The run opens what is there from the start, and what is written over an input begins later.
      if (!stay.over && stay.steps.begin > Step(0)) CHECK(block.span.begin.count() == life.begin);
      if (!stay.outlives) CHECK(block.span.end.count() == life.end);
      const auto same = steps.blocksOf(block.stay);
      REQUIRE(same.size() == 1);
      CHECK(steps.block(same.front()).bytes == block.bytes);
      for (std::size_t j = 0; j < i; ++j) {
        const Block other = store.block(j);
        CHECK_FALSE((other.span.overlaps(block.span) && other.bytes.overlaps(block.bytes)));
      }
    }
    blocks += store.size();
  }
  CHECK(blocks > 0);
}

TEST_CASE("bytes in use over time are the blocks that are there", "[picture]") {
  const auto run = anyTimedRun();
  for (const PoolId pool : run->problem.pools.keys()) {
    const std::vector<Stair> live = liveOverTime(*run, pool);
    const BlockStore store = BlockStore::ofPool(*run, pool, AxisUnit::time);
    for (const Stair& stair : live) {
      Bytes sum;
      for (std::size_t i = 0; i < store.size(); ++i) {
        const Block block = store.block(i);
        if (block.span.contains(stair.from)) sum += block.bytes.length();
      }
      CAPTURE(pool.index(), stair.from.count());
      if (stair.from.count() < run->timing.makespan.count()) CHECK(sum == stair.value);
    }
    CHECK(std::ranges::is_sorted(live, {}, &Stair::from));
    const std::vector<Stair> high = highWaterOverTime(*run, pool);
    CHECK(std::ranges::is_sorted(high, {}, &Stair::value));
  }
}

TEST_CASE("ticks of time are round, in one unit and as far apart as asked", "[picture]") {
  const double end = GENERATE(7.0, 950.0, 1.2e4, 2.992e9, 8.1e12);
  const double begin = GENERATE(0.0, 0.9) * end;
  const RunAxis axis{begin, end, 0, 1000, AxisUnit::time};
  const auto ticks = axis.ticks(90);
  CAPTURE(begin, end);
  REQUIRE_FALSE(ticks.empty());
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    CHECK(axis.toX(ticks[i].value) - axis.toX(ticks[i - 1].value) >= 90 - 1e-6);
    CHECK(ticks[i].label != ticks[i - 1].label);
  }
  CHECK(RunAxis{0, 2.992e9, 0, 1000, AxisUnit::time}.ticks(90)[1].label == "0.5 ms");
}

TEST_CASE("maps and charts in time say so, and name times", "[picture]") {
  const auto run = playedInTime("samples:squeezenet", "ethos-u65-512", ResidencyRule::belady);
  const auto scale = std::make_shared<const RunScale>(*run, AxisUnit::time);
  MapScene map = MapScene::whole(run, PoolId(0));
  map.scale = scale;
  map.blocks =
      std::make_shared<const BlockStore>(BlockStore::ofPool(*run, PoolId(0), AxisUnit::time));
  map.window.end = scale->length();
  SvgCanvas canvas(900, 500, "a picture", 12, &Palette::light());
  drawMap(canvas, map, {0, 0, 900, 500});
  const std::string svg = canvas.finish();
  CHECK(svg.find("simulated time") != std::string::npos);
  CHECK(svg.find("execution step") == std::string::npos);
  CHECK(svg.find(">step<") == std::string::npos);
  SvgCanvas second(900, 300, "a picture", 12, &Palette::light());
  drawChart(second, ChartScene::whole(run, PoolId(0), AxisUnit::time), {0, 0, 900, 300});
  CHECK(second.finish().find("most in use") != std::string::npos);
}

TEST_CASE("all stays of a tensor are one selection, in every memory", "[picture]") {
  const auto run = playedInTime("samples:squeezenet", "ethos-u65-512", ResidencyRule::belady);
  std::map<BufferId, std::vector<StayId>> stays;
  for (const StayId id : run->problem.stays.keys())
    stays[run->problem.stays[id].buffer].push_back(id);
  std::size_t several = 0;
  for (const auto& [buffer, ids] : stays) {
    if (ids.size() < 2 || ++several > 4) continue;
    for (const PoolId pool : run->problem.pools.keys()) {
      const auto picture = [&](StayId selected) {
        MapScene scene = MapScene::whole(run, pool, AxisUnit::time);
        scene.selected = selected;
        SvgCanvas canvas(900, 300, "map", 12, &Palette::light());
        drawMap(canvas, scene, {0, 0, 900, 300});
        return canvas.finish();
      };
      CAPTURE(buffer.index(), pool.index());
      const std::string first = picture(ids.front());
      for (const StayId id : ids) CHECK((picture(id) == first));
      const auto isHere = [&](StayId id) { return run->problem.stays[id].pool == pool; };
      if (std::ranges::any_of(ids, isHere)) CHECK((picture({}) != first));
    }
  }
  CHECK(several > 4);
}
