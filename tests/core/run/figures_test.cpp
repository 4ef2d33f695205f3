#include "core/run/figures.h"

#include <catch2/catch.hpp>

#include "core/import/plans/planned_rows.h"
#include "core/import/plans/unknown_parts.h"
#include "core/machine/platforms.h"
#include "core/picture/axis.h"
#include "core/report/run/simulation_report.h"
#include "core/study/compare.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

namespace hw {
namespace {

using namespace hw::literals;
using test::problemOf;
using test::runGraph;
using test::RunOptions;
using test::runProblem;

/// One device with an L2 of 16 bytes a nanosecond and an L3 of 1, no latency, 1 element a cycle.
Platform slowFarMemory() {
  return parsePlatform(R"(name = "slow-far"
source = "drawn"
[[device]]
name = "npu"
ops = ["*"]
pool = [{name = "L2", read = "16GB/s", write = "16GB/s"},
        {name = "L3", read = "1GB/s", write = "1GB/s"}]
unit = [{name = "core", ops = ["*"], clock = "1GHz", macs_per_cycle = 1, elements_per_cycle = 1000}]
)")
      .value();
}

// step     0     1
//  a 160   |-----|          graph input
//  b 160   |-----------|
//  c 160         |-----|    graph output
Graph twoRelus() {
  return test::drawnGraph({.tensors = {{"a", 160}, {"b", 160}, {"c", 160}},
                           .inputs = {"a"},
                           .ops = {"Relu a -> b", "Relu b -> c"},
                           .outputs = {"c"}});
}

std::shared_ptr<const Run> runOn(const Platform& platform, const std::string& allocator,
                                 PoolSize l2) {
  const auto model = test::modelOf(twoRelus());
  RunRequest request{.allocator = AllocatorChoice::parse(allocator).value(),
                     .platform = platform,
                     .l2 = l2,
                     .l3 = {.kind = PoolSize::Kind::unbounded},
                     .alignment = Bytes(1),
                     .alias = AliasRules::none()};
  return execute(model, request, {}).value();
}

std::shared_ptr<const Run> runOf(std::vector<std::string> unknown, const std::string& platform) {
  PlannedRows rows{.format = "tflm-log", .unknown = std::move(unknown)};
  rows.rows = {{.name = "a", .first = 0, .last = 1, .size = Bytes(64), .offset = Bytes(0)},
               {.name = "b", .first = 1, .last = 2, .size = Bytes(32), .offset = Bytes(64)}};
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("embedded").value();
  request.platform = openPlatform(platform).value();
  const auto model = std::make_shared<const Model>(planModel(std::move(rows)).value());
  return execute(model, request, {}).value();
}

}  // namespace

TEST_CASE("figures of a plan that stays in L2", "[figures]") {
  const RunFigures figures =
      figuresOf(*runOn(slowFarMemory(), "greedy-by-size", {.kind = PoolSize::Kind::unbounded}));
  CHECK(figures.whole);
  CHECK(figures.peakL2 == 320_B);
  CHECK(figures.peakL3 == 0_B);
  CHECK(figures.lowerBound == 320_B);
  CHECK(*figures.gap == 0);
  // c takes a's bytes: 160 of 480 placed bytes had a tenant before.
  CHECK(*figures.reuse == Approx(1.0 / 3));
  CHECK(*figures.spilled == 0_B);
  // Two ops, each reads and writes 160 bytes of L2: 320 bytes at 16 a nanosecond.
  CHECK(*figures.latency == SimTime(2 * 20'000));
  CHECK(*figures.moved == 640_B);
}

TEST_CASE("what does not fit L2 is spilled, and its traffic is slow", "[figures]") {
  const RunFigures figures = figuresOf(*runOn(
      slowFarMemory(), "greedy-by-size", {.kind = PoolSize::Kind::bytes, .bytes = Bytes(160)}));
  // One of a and b is in L3 at step 0, one of b and c at step 1: b pays for both.
  CHECK(figures.peakL2 == 160_B);
  CHECK(figures.peakL3 == 160_B);
  CHECK(*figures.spilled == 160_B);
  CHECK(*figures.gap == 0);
  CHECK(*figures.latency == SimTime(2 * 160'000));
  CHECK(*figures.moved == 640_B);
}

TEST_CASE("fragmentation is told of the step with most live bytes, and on average", "[figures]") {
  // In the order given, first fit; holes of step 1 are [4, 10) and [20, 30).
  // step     0     1     2
  //  e 17          |-----|       [40, 57)
  //  d 10    |-----------|       [30, 40)
  //  c 10    |-----|             [20, 30)
  //  b 10    |-----------|       [10, 20)
  //  f  4          |-----|       [0, 4)
  //  a 10    |-----|             [0, 10)
  const auto run =
      runProblem(problemOf({{10, 0, 1}, {10, 0, 2}, {10, 0, 1}, {10, 0, 2}, {17, 1, 2}, {4, 1, 2}}),
                 {.allocator = "in-order:fit=first"});
  const RunFigures figures = figuresOf(*run);
  CHECK(figures.peakL2 == 57_B);
  CHECK(figures.lowerBound == 41_B);
  CHECK(*figures.gap == Approx(57.0 / 41 - 1));
  CHECK(*figures.fragmentationAtPeak == Approx(1 - 10.0 / 16));
  CHECK(*figures.fragmentation == Approx((0 + 1 - 10.0 / 16) / 2));
  CHECK(*figures.reuse == Approx(4.0 / 61));
  // Nothing is known of operators: no times.
  CHECK_FALSE(figures.latency);
  CHECK_FALSE(figures.moved);
}

TEST_CASE("a part of a plan has a peak and nothing to boast of", "[figures]") {
  const auto run = runProblem(problemOf({{10, 0, 2}, {10, 0, 2}}),
                              {.allocator = "free-list", .l2 = 12, .l3 = 4});
  const RunFigures figures = figuresOf(*run);
  CHECK_FALSE(figures.whole);
  CHECK(figures.peakL2 == 10_B);
  CHECK_FALSE(figures.gap);
  CHECK_FALSE(figures.reuse);
  CHECK_FALSE(figures.spilled);
}

TEST_CASE("a method that leaves graph inputs out says how many bytes", "[figures]") {
  const PoolSize unbounded{.kind = PoolSize::Kind::unbounded};
  CHECK(figuresOf(*runOn(slowFarMemory(), "block-id", unbounded)).inputsOutside == 160_B);
  CHECK(figuresOf(*runOn(slowFarMemory(), "none", unbounded)).inputsOutside == 0_B);
}

TEST_CASE("pools of several devices count by their rank in the device", "[figures]") {
  const Platform two = findPlatform("two-devices").value();
  const auto run = runOn(two, "partition", {.kind = PoolSize::Kind::platform});
  const RunFigures figures = figuresOf(*run);
  Bytes all;
  for (const PoolId pool : run->problem.pools.keys()) all += run->plan.footprint(pool);
  CHECK(run->problem.pools.size() > 2);
  CHECK(figures.peak() == all);
  CHECK(figures.peak() > 0_B);
}

TEST_CASE("a plan whose file names no operators has no latency", "[run][figures]") {
  const std::string platform = GENERATE("generic-npu", "ethos-u65-512");
  CAPTURE(platform);
  const auto unnamed = runOf({"names", "operators"}, platform);
  CHECK_FALSE(namesOperators(unnamed->graph()));
  CHECK_FALSE(figuresOf(*unnamed).latency);
  CHECK_FALSE(figuresOf(*unnamed).moved);
  CHECK_FALSE(isTimed(*unnamed));
  CHECK(simulationJson(*unnamed)["makespan_ps"].is_null());
  // Its memory is shown all the same.
  CHECK(unnamed->timeline.size() >= 4);
  CHECK(unnamed->plan.footprint(PoolId(0)) == Bytes(96));
  const auto named = runOf({"names", "the lives of 2 buffers"}, platform);
  CHECK(namesOperators(named->graph()));
  CHECK(figuresOf(*named).latency);
}

}  // namespace hw
