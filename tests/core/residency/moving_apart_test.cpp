#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/machine/platforms.h"
#include "tests/support/clusters.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

// Each has an L3 of its own. What crosses is stored, copied from L3 to L3, and loaded.
TEST_CASE("what goes to a device with a far memory of its own is copied there",
          "[residency][partition]") {
  const Graph graph = test::drawnGraph({.tensors = {{"x", 12}, {"a", 32}, {"b", 16}, {"y", 1}},
                                        .inputs = {"x"},
                                        .ops = {"Conv x -> a", "Gemm a -> b", "Add b, x -> y"},
                                        .outputs = {"y"}});
  const Platform platform = parsePlatform(R"(name = "apart"
[[device]]
name = "A"
ops = ["Conv"]
[[device.pool]]
name = "L2"
bandwidth = "4GB/s"
[[device.pool]]
name = "L3"
bandwidth = "1GB/s"
[[device.unit]]
name = "unit"
ops = ["*"]
clock = "1GHz"
[[device]]
name = "B"
ops = ["*"]
[[device.pool]]
name = "L2"
bandwidth = "4GB/s"
[[device.pool]]
name = "L3"
bandwidth = "1GB/s"
[[device.dma]]
name = "dma"
moves = ["A.L3>L3", "L3>L2", "L2>L3"]
[[device.unit]]
name = "unit"
ops = ["*"]
clock = "1GHz"
)")
                                .value();
  const auto run = test::spreadRun(graph, platform, "greedy-by-size", [](RunRequest& request) {
    request.residency = ResidencyRule::lru;
  });
  std::string text;
  for (const ActivityId id : run->timing.activities.activities.keys()) {
    const Activity& activity = run->timing.activities.activities[id];
    if (activity.kind == ActivityKind::compute) continue;
    const auto poolOf = [&](StayId stay) {
      return run->problem.pools[run->problem.stays[stay].pool].name;
    };
    text += fmt::format("{}{} {}>{} at {}\n", activity.kind == ActivityKind::copy ? "copy " : "",
                        run->stayName(activity.from), poolOf(activity.from), poolOf(activity.to),
                        activity.step.count());
  }
  CHECK(text ==
        "x A/L3>A/L2 at 0\na A/L2>A/L3 at 0\ncopy a A/L3>B/L3 at 1\na B/L3>B/L2 at 1\n"
        "x B/L3>B/L2 at 2\ny B/L2>B/L3 at 2\n");
  CHECK(test::faultOf(*run) == "");
}

TEST_CASE("every rule moves buffers between devices whose far memories are apart",
          "[residency][partition][property]") {
  std::size_t copies = 0;
  for (const char* allocator : {"greedy-by-size", "free-list", "idle-longest"}) {
    for (std::uint64_t seed = 1; seed <= test::rounds(20); ++seed) {
      test::Dice dice(seed);
      Platform platform = findPlatform("two-devices").value();
      for (DeviceSpec& device : platform.devices) {
        device.pools[0].capacity = Bytes(dice.roll(0, 400));
      }
      const Graph graph = test::randomGraph(seed, 25);
      for (const ResidencyInfo& info : residencyCatalog()) {
        CAPTURE(allocator, seed, info.name);
        const auto run = test::spreadRun(graph, platform, allocator, [&](RunRequest& request) {
          request.residency = info.rule;
          request.nearInputs = request.nearOutputs = seed % 3 == 0;
          if (seed % 2 == 0) request.weights.rule = WeightRule::prefetch;
        });
        REQUIRE(test::faultOf(*run) == "");
        if (run->problem.moves.empty()) continue;
        REQUIRE(run->partition.transfers.empty());
        copies += static_cast<std::size_t>(std::ranges::count(run->timing.activities.activities,
                                                              ActivityKind::copy, &Activity::kind));
      }
    }
  }
  CHECK(copies > test::rounds(300));
}
