// Placement kind (0) of placement-search: docs/methods.md §5.
#include <algorithm>
#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// x 8 -> Conv -> a 32 -> Relu -> b 32 -> Conv -> y 8, and `skip` reads something to the end.
Graph reluGraph() {
  return test::drawnGraph({.tensors = {{"x", 8}, {"a", 32}, {"b", 32}, {"y", 8}},
                           .inputs = {"x"},
                           .ops = {"g0: Op x -> a", "g1: Relu a -> b", "g2: Op b -> y"},
                           .outputs = {"y"}});
}

test::RunOptions searching(bool inPlace) {
  return {.allocator = "placement-search:seconds=0,sequences=50",
          .alias = {true, true, true, inPlace}};
}

PlanDocument written(const Run& run, void (*write)(const Run&, std::ostream&)) {
  std::ostringstream file;
  write(run, file);
  return readPlan(file.str()).value();
}

std::string firstFinding(const Audit& audit) {
  return audit.findings.empty() ? "" : audit.findings[0].message;
}

}  // namespace

TEST_CASE("placement search writes an output over its input where that may be", "[methods]") {
  const auto apart = test::runGraph(reluGraph(), searching(false));
  CHECK(apart->plan.footprint(PoolId(0)) == Bytes(64));
  const auto over = test::runGraph(reluGraph(), searching(true));
  CHECK(over->plan.footprint(PoolId(0)) == Bytes(40));
  CHECK(over->plan.status == PlanStatus::optimal);
  CHECK(test::offsetOf(*over, "a") == test::offsetOf(*over, "b"));
  CHECK(over->storage.inPlace == std::vector{test::tensorOf(over->graph(), "b")});
  CHECK(over->metrics.lowerBound == Bytes(40));
  CHECK(replayBytes(*over, Bytes(1 << 20)).empty());
}

TEST_CASE("the search decides: a permission is no order", "[methods]") {
  // b may lie over a, which the initial sequence likes best; but the stay beside them says whether
  // the block is in the way. Whatever it does, it is never worse than not being allowed to.
  for (const std::uint64_t seed : test::Seeds(60)) {
    Problem problem = test::randomProblem(seed, {.stays = 8, .steps = 6, .maxSize = 9});
    const auto choice = AllocatorChoice::parse("placement-search:seconds=0");
    const auto strict = choice->make()->plan(problem, {});
    for (const StayId over : problem.stays.keys()) {
      for (std::size_t i = over.index() + 1; i < problem.stays.size(); ++i) {
        const Stay& stay = problem.stays[StayId(i)];
        if (problem.stays[over].steps.end == stay.steps.begin + Step(1)) {
          problem.overlays.push_back({over, StayId(i)});
        }
      }
    }
    std::ranges::sort(problem.overlays, {},
                      [](const Overlay& each) { return std::pair(each.stay, each.over); });
    const auto loose = choice->make()->plan(problem, {});
    REQUIRE((strict && loose));
    CHECK(validate(problem, *loose).empty());
    CHECK(loose->footprint(PoolId(0)) <= strict->footprint(PoolId(0)));
  }
}

TEST_CASE("plans with overlays pass the audit and the replay", "[methods][audit]") {
  std::size_t overlaid = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    auto options = searching(true);
    options.alignment = seed % 2 == 0 ? 1 : 16;
    if (seed % 4 == 0) options.l2 = 300;
    const auto run = test::runGraph(test::randomGraph(seed, 4 + seed % 30), options);
    overlaid += run->storage.inPlace.size();
    REQUIRE(validate(run->problem, run->plan).empty());
    REQUIRE(run->problem.overlays.empty());
    REQUIRE(replayBytes(*run, Bytes(1 << 20)).empty());
    const Audit json = auditPlan(run->model, written(*run, writePlanJson), {});
    REQUIRE(firstFinding(json) == "");
    REQUIRE(json.run);
    REQUIRE(firstFinding(auditPlan(run->model, written(*run, writePlanCsv), {})) == "");
  }
  CHECK(overlaid > test::atLeast(100));
}

TEST_CASE("an overlay that the graph does not allow is found, whatever the plan says", "[audit]") {
  // The same shape, but a Transpose cannot run in place; and in the second graph a is read again.
  const bool readAgain = GENERATE(false, true);
  const Graph graph = test::drawnGraph(
      {.tensors = {{"x", 8}, {"a", 32}, {"b", 32}, {"y", 8}},
       .inputs = {"x"},
       .ops = {"g0: Op x -> a", readAgain ? "g1: Relu a -> b" : "g1: Transpose a -> b",
               readAgain ? "g2: Op b, a -> y" : "g2: Op b -> y"},
       .outputs = {"y"}});
  const auto run = test::runGraph(graph, searching(true));
  CHECK(run->storage.inPlace.empty());
  PlanDocument plan = written(*run, writePlanJson);
  Placement* a = nullptr;
  for (Placement& placement : plan.placements) {
    if (placement.tensor == "a") a = &placement;
  }
  REQUIRE(a);
  for (Placement& placement : plan.placements) {
    if (placement.tensor != "b") continue;
    placement.offset = a->offset;
    a->aliasOf = "b";
  }
  const Audit audit = auditPlan(run->model, plan, {});
  CHECK(firstFinding(audit) ==
        "'a' is an alias of 'b', but the model does not let them share memory");
}
