#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/machine/platforms.h"
#include "core/residency/near_stays.h"
#include "tests/support/clusters.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// "x L2 [0,1); " of every stay, and the moves behind them.
std::string told(const Run& run) {
  std::string text;
  const auto pool = [&](StayId id) { return run.problem.pools[run.problem.poolOf(id)].name; };
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    text += fmt::format("{} {} [{},{}); ", run.stayName(id), pool(id), stay.steps.begin.count(),
                        stay.steps.end.count());
  }
  for (const Move& move : run.problem.moves) {
    text += fmt::format("{} {}>{} at {}; ", run.stayName(move.to), pool(move.from), pool(move.to),
                        move.step.count());
  }
  return text;
}

std::shared_ptr<const Run> near(const Graph& graph, ResidencyRule rule, std::int64_t l2) {
  return test::runGraph(graph, {.l2 = l2, .residency = rule, .nearEnds = true});
}

}  // namespace

// 12 bytes of x, 32 of a, 16 of b, 32 of c, 32 of d, 1 of y; a is read again by the op that reads
// c.
TEST_CASE("what may be near as the run begins and ends is neither loaded nor stored",
          "[residency][ends]") {
  const auto run = near(test::residualGraph(), ResidencyRule::lru, 64);
  CHECK(told(*run) ==
        "x L2 [0,1); a L2 [0,2); a L3 [1,4); b L2 [1,3); c L2 [2,4); d L2 [3,5); y L2 [4,5); "
        "a L2>L3 at 1; ");
  CHECK_FALSE(run->inputsFar);
  CHECK_FALSE(run->outputsFar);
  const auto& notes = run->plan.notes;
  CHECK(std::ranges::count(notes, "1 of 1 inputs are near as the run begins") == 1);
  CHECK(std::ranges::count(notes, "1 of 1 outputs are near as the run ends") == 1);
  const auto loaded =
      test::runGraph(test::residualGraph(), {.l2 = 64, .residency = run->request.residency});
  CHECK(run->timing.makespan < loaded->timing.makespan);
}

TEST_CASE("where there is no room for it, an input is loaded and an output stored",
          "[residency][ends]") {
  const Graph graph =
      test::drawnGraph({.tensors = {{"x", 20}, {"v", 20}, {"a", 30}, {"b", 30}, {"y", 10}},
                        .inputs = {"x", "v"},
                        .ops = {"Relu x -> a", "Relu a -> b", "Add b, v -> y"},
                        .outputs = {"b", "y"}});
  // At step 1 a and b take 60 bytes, at step 2 b, v and y do.
  CHECK(told(*near(graph, ResidencyRule::lru, 80)) ==
        "x L2 [0,1); v L2 [0,3); a L2 [0,2); b L2 [1,3); y L2 [2,3); ");
  const auto tight = near(graph, ResidencyRule::lru, 70);
  CHECK_THAT(told(*tight), Catch::Contains("v L3>L2 at 2"));
  CHECK(test::faultOf(*tight) == "");
  CHECK(std::ranges::count(tight->plan.notes, "1 of 2 inputs are near as the run begins") == 1);
}

TEST_CASE("an input that was near from the start is stored before it is read again from far away",
          "[residency][ends]") {
  const Graph graph =
      test::drawnGraph({.tensors = {{"x", 20}, {"a", 30}, {"b", 40}, {"c", 40}, {"y", 20}},
                        .inputs = {"x"},
                        .ops = {"Relu x -> a", "Relu a -> b", "Relu b -> c", "Add c, x -> y"},
                        .outputs = {"y"}});
  const auto run = near(graph, ResidencyRule::layer, 80);
  CHECK_THAT(told(*run), Catch::Contains("x L2>L3 at 0") && Catch::Contains("x L3>L2 at 3"));
  CHECK(test::faultOf(*run) == "");
}

TEST_CASE("runs that begin and end near hold under every rule, whoever gives addresses",
          "[residency][ends][property]") {
  std::size_t fewer = 0;
  for (const char* allocator : {"greedy-by-size", "free-list", "idle-longest", "best"}) {
    for (const std::uint64_t seed : test::Seeds(20)) {
      const Graph graph = test::randomGraph(seed, 30);
      const std::int64_t l2 = test::Dice(seed).roll(0, 400);
      const std::int64_t middle = seed % 4 == 0 ? 300 : -1;
      for (const ResidencyInfo& info : residencyCatalog()) {
        CAPTURE(allocator, seed, l2, middle, info.name);
        test::RunOptions options{.allocator = allocator,
                                 .alias = {seed % 2 == 0, seed % 3 != 0, seed % 5 != 0, false},
                                 .l2 = l2,
                                 .residency = info.rule,
                                 .nearEnds = true,
                                 .middle = middle};
        const auto run = test::runGraph(graph, options);
        REQUIRE(test::faultOf(*run) == "");
        REQUIRE(run->plan.footprint(PoolId(0)) <= Bytes(l2));
        REQUIRE(run->timing.makespan >= run->timing.account.ofOrder.time);
        options.nearEnds = false;
        const auto far = test::runGraph(graph, options);
        fewer += run->problem.moves.size() < far->problem.moves.size() ? 1 : 0;
      }
    }
  }
  CHECK(fewer > test::rounds(200));
}

// B reads w twice and A once; each loads its own. Both L2 have room for everything.
TEST_CASE("weights come near on every device that reads them", "[residency][weights][partition]") {
  const Graph graph =
      test::drawnGraph({.tensors = {{"x", 8}, {"a", 8}, {"b", 8}, {"y", 8}, {"w", 16}},
                        .inputs = {"x"},
                        .ops = {"Conv x, w -> a", "Add a, w -> b", "Mul b, w -> y"},
                        .outputs = {"y"},
                        .constants = {"w"}});
  const auto run = test::spreadRun(graph, test::clusters(0, 256, "parallel"), "greedy-by-size",
                                   [](RunRequest& request) {
                                     request.residency = ResidencyRule::lru;
                                     request.weights = {.rule = WeightRule::prefetch};
                                   });
  CHECK(test::faultOf(*run) == "");
  std::string stays;
  for (const StayId id : run->problem.stays.keys()) {
    const Stay& stay = run->problem.stays[id];
    if (run->stayName(id) != "w") continue;
    stays += fmt::format("{} [{},{}); ", run->problem.pools[stay.pool].name,
                         stay.steps.begin.count(), stay.steps.end.count());
  }
  CHECK(stays == "A/L2 [0,1); B/L2 [0,3); ");
  CHECK(std::ranges::count(run->plan.notes,
                           "weights: 3 of 3 reads find theirs near; all have room") == 1);
}

TEST_CASE("weights are near on several devices under every rule, byte by byte",
          "[residency][weights][partition][property]") {
  std::size_t near = 0;
  for (const std::uint64_t seed : test::Seeds(30)) {
    test::Dice dice(seed);
    const Graph graph = test::randomGraph(seed, 25);
    const Platform platform =
        test::clusters(seed % 3 == 0 ? dice.roll(0, 150) : 0, dice.roll(0, 600), "parallel");
    for (const ResidencyInfo& info : residencyCatalog()) {
      CAPTURE(info.name);
      const auto run = test::spreadRun(
          graph, platform, seed % 2 == 0 ? "best" : "idle-longest", [&](RunRequest& request) {
            request.residency = info.rule;
            request.weights.rule = seed % 4 < 2 ? WeightRule::prefetch : WeightRule::resident;
            if (seed % 5 != 0) return;
            request.inputs = InputPlace::near;
            request.outputs = OutputPlace::near;
          });
      REQUIRE(test::faultOf(*run) == "");
      for (const Stay& stay : run->problem.stays) {
        near += run->graph().tensors[run->storage.rootOf(stay.buffer)].constant ? 1 : 0;
      }
    }
  }
  CHECK(near > test::rounds(200));
}
