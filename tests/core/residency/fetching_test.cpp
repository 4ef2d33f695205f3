#include "core/residency/fetching.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_document.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// Three ops in a row with a weight each; the last reads the first's once more. 10 bytes flow.
Graph weightedGraph() {
  return test::drawnGraph(
      {.tensors = {{"x", 10}, {"a", 10}, {"b", 10}, {"y", 10}, {"v", 20}, {"w", 30}},
       .inputs = {"x"},
       .ops = {"Add x, v -> a", "Add a, w -> b", "Add b, v -> y"},
       .outputs = {"y"},
       .constants = {"v", "w"}});
}

/// "v L2 [0,1)", in the order of the stays; moves after them.
std::string fetched(const Run& run) {
  std::string text;
  const auto& pools = run.problem.pools;
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    if (!run.graph().tensors[run.stayTensor(id)].constant) continue;
    text += fmt::format("{} {} [{},{}); ", run.stayName(id), pools[stay.pool].name,
                        stay.steps.begin.count(), stay.steps.end.count());
  }
  for (const Move& move : run.problem.moves) {
    text += fmt::format(
        "{}>{} of {} at {}; ", move.from ? pools[run.problem.stays[move.from].pool].name : "far",
        pools[run.problem.stays[move.to].pool].name, run.stayName(move.to), move.step.count());
  }
  return text;
}

std::string notesOf(const Run& run) {
  std::string text;
  for (const std::string& note : run.notes) text += note + "; ";
  for (const std::string& note : run.plan.notes) text += note + "; ";
  return text;
}

constexpr WeightChoice ahead(std::int64_t steps) { return {WeightRule::prefetch, steps}; }

}  // namespace

TEST_CASE("weights come near some steps before they are read, where there is room",
          "[residency][weights]") {
  const Graph graph = weightedGraph();
  const auto told = [&](WeightChoice weights, std::int64_t l2 = -1, std::int64_t middle = -1) {
    return fetched(*test::runGraph(graph, {.l2 = l2, .weights = weights, .middle = middle}));
  };
  CHECK(told({}) == "");
  CHECK(told({WeightRule::free}) == "");
  CHECK(told(ahead(0)) ==
        "v L2 [0,1); v L2 [2,3); w L2 [1,2); far>L2 of v at 0; far>L2 of w at 1; "
        "far>L2 of v at 2; ");
  // One step ahead of step 2 the weight that step 0 read is still there.
  CHECK(told(ahead(1)) == "v L2 [0,3); w L2 [0,2); far>L2 of v at 0; far>L2 of w at 0; ");
  CHECK(told(ahead(9)) == told(ahead(1)));
  CHECK(told({WeightRule::resident}) ==
        "v L2 [0,3); w L2 [0,3); far>L2 of v at 0; far>L2 of w at 0; ");
  // Buffers need 20 bytes at every step; v has 20 more, w has none.
  CHECK(told(ahead(1), 40) == "v L2 [0,3); far>L2 of v at 0; ");
  CHECK(told(ahead(0), 50) ==
        "v L2 [0,1); v L2 [2,3); w L2 [1,2); far>L2 of v at 0; far>L2 of w at 1; "
        "far>L2 of v at 2; ");
  CHECK(told({WeightRule::resident}, 60) == "v L2 [0,3); far>L2 of v at 0; ");
  CHECK(told(ahead(1), 30) == "");
  // On its way from the third memory to the first a weight passes the second.
  CHECK(told(ahead(0), 40, 30) ==
        "v middle [0,1); v L2 [0,1); v middle [2,3); v L2 [2,3); w middle [1,2); far>middle of v "
        "at 0; middle>L2 of v at 0; far>middle of w at 1; far>middle of v at 2; middle>L2 of v at "
        "2; ");
}

TEST_CASE("inputs are loaded when they are asked to be", "[residency][weights]") {
  const auto run = test::runGraph(weightedGraph(), {.inputs = InputPlace::loaded});
  CHECK(fetched(*run) == "far>L2 of x at 0; ");
  const ActivityList& list = run->timing.activities;
  REQUIRE(list.activities.size() == 4);
  CHECK(list.activities[ActivityId(0)].kind == ActivityKind::load);
  CHECK(run->timing.times[ActivityId(1)].start == run->timing.times[ActivityId(0)].end);
}

TEST_CASE("what of it cannot be done, and what words meant before, is said",
          "[residency][weights]") {
  const auto bare = test::runProblem(test::problemOf({{10, 0, 2}}),
                                     {.weights = ahead(1), .inputs = InputPlace::loaded});
  CHECK_THAT(notesOf(*bare), Catch::Contains("weights are streamed: they come near for a graph"));
  CHECK_THAT(notesOf(*bare),
             Catch::Contains("graph inputs and outputs are where they are planned"));
  const auto kept = test::runGraph(weightedGraph(), {.weights = {WeightRule::resident}});
  CHECK_THAT(notesOf(*kept), Catch::Contains("are now called free"));
  const auto some = test::runGraph(weightedGraph(), {.l2 = 40, .weights = ahead(1)});
  CHECK_THAT(notesOf(*some), Catch::Contains("weights: 2 of 3 reads find theirs near"));
}

TEST_CASE("weights are near under every rule, and everybody's plans replay byte by byte",
          "[residency][weights][property]") {
  std::size_t near = 0;
  for (const char* allocator : {"greedy-by-size", "free-list", "two-sided", "block-id", "none"}) {
    for (const std::uint64_t seed : test::Seeds(12)) {
      const Graph graph = test::randomGraph(seed, 30);
      const std::int64_t l2 = seed % 4 == 0 ? -1 : test::Dice(seed).roll(0, 600);
      const std::int64_t middle = seed % 5 == 0 ? 300 : -1;
      for (const ResidencyInfo& info : residencyCatalog()) {
        for (const WeightChoice& weights :
             {ahead(0), ahead(2), WeightChoice{WeightRule::resident}}) {
          CAPTURE(allocator, seed, l2, middle, info.name, static_cast<int>(weights.rule),
                  weights.ahead);
          const auto run = test::runGraph(
              graph, {.allocator = allocator,
                      .alias = {seed % 2 == 0, seed % 3 != 0, seed % 5 != 0, seed % 7 < 3},
                      .l2 = l2,
                      .residency = info.rule,
                      .weights = weights,
                      .inputs = seed % 3 == 0 ? InputPlace::loaded : InputPlace::arena,
                      .middle = middle});
          REQUIRE(run->plan.status == PlanStatus::complete);
          if (l2 >= 0) REQUIRE(run->plan.footprint(PoolId(0)) <= Bytes(l2));
          const auto wrong = validate(run->problem, run->plan);
          REQUIRE((wrong.empty() ? "" : wrong.front().message) == "");
          const auto lost = replayBytes(*run, Bytes(1 << 20));
          REQUIRE((lost.empty() ? "" : lost.front().message) == "");
          const Audit audit = auditPlan(run->model, describePlan(*run), {});
          REQUIRE((audit.findings.empty() ? "" : audit.findings.front().message) == "");
          for (const Stay& stay : run->problem.stays) {
            near += run->graph().tensors[run->storage.rootOf(stay.buffer)].constant ? 1 : 0;
          }
        }
      }
    }
  }
  CHECK(near > test::atLeast(2'000));
}
