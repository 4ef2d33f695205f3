// Several inferences of one network, one behind the other over one memory.
#include "core/rewrite/batches.h"

#include <sstream>

#include "core/check/parts/part_flow.h"
#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/run/figures.h"
#include "core/run/options.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/machine_draw.h"
#include "tests/support/machine_judge.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// Two operators for two units: x -> a -> t -> b -> y, with a weight that is shared.
Graph twoStages() {
  return test::drawnGraph({.tensors = {{"x", 10}, {"w", 3}, {"t", 10}, {"y", 10}},
                           .inputs = {"x"},
                           .ops = {"a: Conv x, w -> t", "b: Relu t -> y"},
                           .outputs = {"y"},
                           .constants = {"w"}});
}

/// An element a nanosecond on each of two units, and a memory that is much faster.
Platform twoUnits(const std::string& issue) {
  return test::must(parsePlatform(
      "name = \"two-units\"\n[[device]]\nname = \"npu\"\nops = [\"*\"]\nissue = \"" + issue + R"("
[[device.pool]]
name = "L2"
capacity = "1GiB"
read = "1000GB/s"
write = "1000GB/s"
[[device.unit]]
name = "conv"
ops = ["Conv"]
macs_per_cycle = 3
clock = "1GHz"
elements_per_cycle = 1
[[device.unit]]
name = "rest"
ops = ["*"]
clock = "1GHz"
elements_per_cycle = 1
)"));
}

std::shared_ptr<const Run> runOf(const std::shared_ptr<const Model>& model,
                                 const std::string& allocator, const Platform& platform,
                                 int batches) {
  RunRequest request = test::requestOn(platform, allocator);
  request.alignment = Bytes(1);
  request.batches = batches;
  return test::mustRun(model, request);
}

/// Holds a run against all judges.
void checkSound(const Run& run) {
  CHECK(test::firstOf(validate(run.problem, run.plan)) == "");
  CHECK(test::firstOf(replayBytes(run, 4_MiB)) == "");
  CHECK(test::judgeFault(run.timing) == "");
  if (!fits(run)) return;
  std::stringstream file;
  writePlanJson(run, file);
  const auto plan = test::must(readPlan(file.str()));
  const Audit audit = auditPlan(run.model, plan, {});
  CHECK(test::firstOf(audit.findings) == "");
}

std::string graphFile(const Graph& graph) {
  std::stringstream out;
  writeGraphJson(graph, out);
  return out.str();
}

}  // namespace

TEST_CASE("inferences have operators and tensors of their own, and share weights", "[batches]") {
  const auto one = std::make_shared<const Graph>(twoStages());
  const auto made = test::must(inBatches(one, givenOrder(*one), 3));
  const Graph& graph = made;
  CHECK(batchesOf(graph) == 3);
  REQUIRE(graph.ops.size() == 6);
  CHECK(graph.tensors.size() == 3 * 3 + 1);
  CHECK(graph.inputs.size() == 3);
  CHECK(graph.outputs.size() == 3);
  CHECK(graph.tensors[test::tensorOf(graph, "w")].consumers.size() == 3);
  CHECK(batchOf(graph, test::tensorOf(graph, "t #3")) == 2);
  CHECK(batchOf(graph, test::tensorOf(graph, "x #2")) == 1);
  CHECK(auditParts(graph).empty());
  // An input is there from the first step of its inference, an output to the last.
  const auto lives = lifetimes(graph, givenOrder(graph));
  CHECK(lives[test::tensorOf(graph, "x #2")] == Interval<Step>{Step(2), Step(3)});
  CHECK(lives[test::tensorOf(graph, "y #2")] == Interval<Step>{Step(3), Step(4)});
  CHECK(lives[test::tensorOf(graph, "t #2")] == Interval<Step>{Step(2), Step(4)});
  // As a file it is the same.
  const auto again = test::must(importModel(graphFile(graph), "batches.graph.json", {}));
  CHECK(graphFile(*again.graph) == graphFile(graph));
  CHECK(batchesOf(*again.graph) == 3);
  CHECK(lifetimes(*again.graph, givenOrder(*again.graph)) == lives);
}

TEST_CASE("what several inferences cannot be of is refused", "[batches]") {
  const auto one = std::make_shared<const Graph>(twoStages());
  CHECK_FALSE(inBatches(one, givenOrder(*one), kMostBatches + 1));
  const auto two = test::must(inBatches(one, givenOrder(*one), 2));
  const auto shared = std::make_shared<const Graph>(two);
  CHECK(test::mustFail(inBatches(shared, givenOrder(*shared), 2))
            .message.find("2 inferences already") != std::string::npos);
  // Files that say what cannot be.
  std::string file = graphFile(two);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = file;
    const std::size_t at = changed.rfind(from);
    REQUIRE(at != std::string::npos);
    return changed.replace(at, from.size(), to);
  };
  REQUIRE(importModel(file, "f.graph.json", {}));
  CHECK_FALSE(importModel(with("\"batch\":1", "\"batch\":3"), "f.graph.json", {}));
  CHECK_FALSE(importModel(with("\"batch\":1", "\"batch\":0"), "f.graph.json", {}));
  CHECK_FALSE(importModel(with("\"batch\":1", "\"batch\":-1"), "f.graph.json", {}));
}

TEST_CASE("an operator that touches another inference is found out", "[batches]") {
  const auto one = std::make_shared<const Graph>(twoStages());
  const auto made = test::must(inBatches(one, givenOrder(*one), 2));
  Graph mutant = made;
  mutant.ops[OpId(3)].inputs[0] = test::tensorOf(made, "t");
  CHECK_FALSE(auditParts(mutant).empty());
  Graph fewer = made;
  fewer.outputs.pop_back();
  CHECK_FALSE(auditParts(fewer).empty());
}

TEST_CASE("inferences overlap where units and bytes are free", "[batches]") {
  const auto model = test::modelOf(twoStages());
  const auto nanoseconds = [](std::initializer_list<std::int64_t> times) {
    std::vector<SimTime> all;
    for (const std::int64_t time : times) all.emplace_back(1000 * time);
    return all;
  };
  //   conv   a 0-10   a 10-20   a 20-30           each has bytes of its own
  //   rest            b 10-20   b 20-30   b 30-40
  const auto apart = runOf(model, "none", twoUnits("parallel"), 3);
  CHECK(batchFiguresOf(*apart)->ends == nanoseconds({20, 30, 40}));
  CHECK(batchFiguresOf(*apart)->interval == SimTime(10'000));
  CHECK(batchFiguresOf(*apart)->perSecond() == Approx(1e8));
  checkSound(*apart);
  // As low as one: the bytes of t are those of the next one's t, which waits for b.
  const auto low = runOf(model, "greedy-by-size", twoUnits("parallel"), 3);
  CHECK(figuresOf(*low).peak() == 20_B);
  CHECK(batchFiguresOf(*low)->ends.back() > SimTime(40'000));
  checkSound(*low);
  // One thing after the other.
  const auto row = runOf(model, "none", twoUnits("sequential"), 3);
  CHECK(batchFiguresOf(*row)->ends == nanoseconds({20, 40, 60}));
  checkSound(*row);
  CHECK_FALSE(batchFiguresOf(*runOf(model, "none", twoUnits("parallel"), 1)));
}

// A unit that does two things at once, and an operator that keeps something from run to run.
TEST_CASE("inferences that share state follow each other", "[batches]") {
  auto model = test::must(importModel(R"({"format": "highwater-graph", "version": 1, "tensors": [
      {"name": "x", "bytes": 10}, {"name": "s", "bytes": 10, "persistent": true},
      {"name": "y", "bytes": 10}], "inputs": ["x"], "outputs": ["y"],
      "ops": [{"type": "Add", "inputs": ["x", "s"], "outputs": ["y"]}]})",
                                      "state.graph.json", {}));
  Platform platform = twoUnits("parallel");
  platform.devices.front().units[1].count = 2;
  const auto run = runOf(std::make_shared<const Model>(std::move(model)), "none", platform, 2);
  REQUIRE(run->timing.ops.size() == 2);
  CHECK(run->graph().tensors.size() == 5);
  CHECK(run->timing.ops[1].time.begin >= run->timing.ops[0].time.end);
}

// t dies in the first step of its inference but one; y1 is far until its inference is over.
TEST_CASE("outputs of an earlier inference stay far until it is over", "[batches][residency]") {
  auto model = test::must(importModel(R"({"format": "highwater-graph", "version": 1, "tensors": [
      {"name": "x", "bytes": 16}, {"name": "y1", "bytes": 16}, {"name": "t", "bytes": 16},
      {"name": "y2", "bytes": 16}], "inputs": ["x"], "outputs": ["y1", "y2"], "ops": [
      {"type": "Relu", "inputs": ["x"], "outputs": ["y1"]},
      {"type": "Relu", "inputs": ["x"], "outputs": ["t"]},
      {"type": "Relu", "inputs": ["t"], "outputs": ["y2"]}]})",
                                      "outputs.graph.json", {}));
  RunRequest request = defaultRequest();
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = 32_B};
  request.alignment = Bytes(1);
  request.residency = ResidencyRule::lru;
  request.batches = 2;
  const auto run = test::mustRun(std::make_shared<const Model>(std::move(model)), request);
  bool found = false;
  for (const StayId id : run->problem.stays.keys()) {
    const Stay& stay = run->problem.stays[id];
    if (run->stayName(id) != "y1" || stay.pool != PoolId(1)) continue;
    found = true;
    CHECK(stay.steps.end == Step(3));
  }
  CHECK(found);
}

TEST_CASE("on sequential devices inferences follow each other in the memory of one",
          "[batches][property]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto model = test::modelOf(test::randomGraph(seed, 4 + seed % 12));
    const int batches = 2 + static_cast<int>(seed % 4);
    for (const char* alias : {"none", "views", "all"}) {
      RunRequest request = defaultRequest();
      request.alias = parseAlias(alias).value();
      request.platform = twoUnits("sequential");
      const auto one = test::mustRun(model, request);
      request.batches = batches;
      const auto run = test::mustRun(model, request);
      CHECK(run->metrics.lowerBound == one->metrics.lowerBound);
      CHECK(run->timing.makespan.count() == batches * one->timing.makespan.count());
      CHECK(run->timing.macs == batches * one->timing.macs);
      checkSound(*run);
    }
  }
}

TEST_CASE("inferences on any machine pass all judges", "[batches][property]") {
  int several = 0;
  int moving = 0;
  for (const std::uint64_t seed : test::Seeds(300)) {
    test::MachineDraw draw(seed);
    const auto model = test::modelOf(draw.graph());
    RunRequest request = draw.request();
    if (request.platform.devices.size() > 1 && seed % 2 == 0) {
      request.allocator = AllocatorChoice::parse("partition").value();
    }
    request.batches = 2 + static_cast<int>(seed % 3);
    const auto run = execute(model, request, {});
    if (!run) continue;
    CHECK(batchesOf((*run)->graph()) == static_cast<std::size_t>(request.batches));
    several += (*run)->partition.deviceOf.empty() ? 0 : 1;
    moving += (*run)->problem.moves.empty() ? 0 : 1;
    checkSound(**run);
  }
  CHECK(several > 0);
  CHECK(moving > test::atLeast(50));
}

TEST_CASE("what runs in parts, again or held otherwise runs so in every inference",
          "[batches][property]") {
  int parts = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto model = test::modelOf(test::randomImages(seed, 4 + seed % 6));
    RunRequest request = defaultRequest();
    request.alias = parseAlias(seed % 3 == 0 ? "all" : "views").value();
    request.tile = seed % 2 == 0 ? TileRule::lines : TileRule::any;
    request.recompute = seed % 4 == 0;
    request.channelsLast = seed % 5 == 0;
    if (seed % 7 == 0) request.inputs = InputPlace::rows;
    const auto one = test::mustRun(model, request);
    request.batches = 3;
    const auto run = test::mustRun(model, request);
    CHECK(batchesOf(run->graph()) == 3);
    parts += runsInParts(run->graph()) ? 1 : 0;
    CHECK(run->timing.macs == 3 * one->timing.macs);
    CHECK(auditParts(run->graph()).empty());
    checkSound(*run);
  }
  CHECK(parts > 0);
}

TEST_CASE("a planning problem and a model's own plan are of one inference", "[batches]") {
  RunRequest request = test::workedRequest("greedy-by-size");
  request.batches = 4;
  Problem problem;
  problem.pools.add({.name = "L2"});
  problem.steps = Step(2);
  problem.stays.add({.buffer = BufferId(0), .steps = {Step(0), Step(2)}, .size = Bytes(8)});
  auto model = std::make_shared<Model>(*test::modelOf(test::chainGraph()));
  request.allocator = AllocatorChoice::parse("greedy-by-size").value();
  const auto chain = test::mustRun(model, request);
  CHECK(batchesOf(chain->graph()) == 4);
  const auto bare = test::mustRun(test::runProblem(problem)->model, request);
  CHECK(batchesOf(bare->graph()) == 1);
  const auto told = [](const Run& run) {
    return std::ranges::any_of(run.notes, [](const std::string& note) {
      return note.find("one inference is planned") != std::string::npos;
    });
  };
  CHECK(told(*bare));
  CHECK_FALSE(told(*chain));
}
