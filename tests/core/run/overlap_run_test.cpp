// Outputs that overlap their inputs, from the graph to the file and back: docs/less.md, "overlap".
#include <algorithm>
#include <sstream>

#include "core/check/kernel_scripts.h"
#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/insight/moment.h"
#include "core/ops/row_walk.h"
#include "core/plan/metrics.h"
#include "core/plan/overlap_use.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/run/overlaid.h"
#include "core/run/run.h"
#include "core/storage/overlays.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
#include "tests/support/row_graphs.h"

using namespace hw;

namespace {

std::shared_ptr<const Model> modelOf(Graph graph) {
  Model model;
  model.graph = std::make_shared<const Graph>(std::move(graph));
  return std::make_shared<const Model>(std::move(model));
}

std::shared_ptr<const Run> planned(const std::shared_ptr<const Model>& model, KernelWays ways,
                                   const std::string& allocator, AliasRules alias,
                                   TileRule tile = TileRule::off) {
  RunRequest request = planningRequest();
  request.tile = tile;
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.alias = alias;
  request.alignment = Bytes(1);
  request.overlap = true;
  for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = ways;
  return test::must(execute(model, request, {}));
}

std::size_t sharing(const Run& run) {
  return static_cast<std::size_t>(
      std::ranges::count_if(run.problem.overlaps, [&](const Overlap& overlap) {
        return !sharedBytes(run.problem, run.plan, overlap).empty();
      }));
}

PlanDocument written(const Run& run, void (*write)(const Run&, std::ostream&)) {
  std::ostringstream file;
  write(run, file);
  return test::must(readPlan(file.str()));
}

std::string firstFinding(const std::shared_ptr<const Model>& model, const PlanDocument& plan) {
  const Audit audit = auditPlan(model, plan, {});
  return audit.findings.empty() ? "" : audit.findings[0].message;
}

/// Pixel by pixel, four channels become sixteen.
Graph pixelGraph() {
  return test::rowPair({.type = "CONV_2D",
                        .in = {1, 8, 8, 4},
                        .out = {1, 8, 8, 16},
                        .weight = {16, 1, 1, 4},
                        .attributes = {{"channels_last", std::int64_t{1}}},
                        .dtype = Dtype::int8,
                        .inside = true});
}

/// The plan of a pair, the only one or the first in parts, in which the output begins so far above
/// the input.
Run pairAt(Run run, std::int64_t distance, bool parts = false) {
  const Graph& graph = run.graph();
  run.problem = makeProblem(graph, run.schedule, run.storage, Bytes(1));
  run.problem.pools.add({.name = "L2"});
  run.plan = {};
  const std::int64_t lift = std::max<std::int64_t>(0, -distance);
  Bytes top;
  Bytes rest(100'000);  // Everything else, out of the way.
  auto chances = overlapChances(graph, run.schedule, run.storage);
  std::erase_if(chances, [&](const OverlapChance& chance) { return parts && chance.op; });
  for (const StayId id : run.problem.stays.keys()) {
    const TensorId tensor = run.stayTensor(id);
    Bytes at = rest;
    if (!chances.empty() && tensor == chances[0].input) at = Bytes(lift);
    if (!chances.empty() && tensor == chances[0].output) at = Bytes(lift + distance);
    if (at == rest) rest += run.problem.stays[id].size;
    run.plan.addresses.add(Address{PoolId(0), RegionId(0), at});
    top = std::max(top, at + run.problem.stays[id].size);
  }
  run.plan.regions.add({top});
  return run;
}

Run pairAt(const std::shared_ptr<const Model>& model, std::int64_t distance) {
  Run run{.model = model, .schedule = givenOrder(*model->graph)};
  run.storage = shareStorage(*model->graph, run.schedule,
                             {.alias = AliasRules::none(), .alignment = Bytes(1)});
  return pairAt(std::move(run), distance);
}

}  // namespace

TEST_CASE("random graphs of rows come through the byte replay", "[run][overlap]") {
  std::size_t used = 0;
  std::size_t lower = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const auto model = modelOf(test::randomRowGraph(seed));
    const KernelWays ways{seed % 3 != 0, seed % 3 != 1};
    for (const char* allocator : {"best:moves=3000,nodes=3000", "greedy-by-size", "hill-climb"}) {
      for (const AliasRules& alias : {AliasRules::none(), AliasRules::all()}) {
        CAPTURE(allocator, alias.inPlace);
        const auto run = planned(model, ways, allocator, alias);
        CHECK(validate(run->problem, run->plan).empty());
        const auto corruptions = replayBytes(*run, Bytes(1 << 24));
        CHECK((corruptions.empty() ? "" : corruptions[0].message) == "");
        CHECK(run->metrics.lowerBound <= run->plan.footprint(PoolId(0)));
        CHECK(firstFinding(model, written(*run, writePlanJson)) == "");
        used += sharing(*run);
        Problem apart = run->problem;
        apart.overlaps.clear();
        lower += run->plan.footprint(PoolId(0)) < lowerBound(apart) ? 1 : 0;
      }
    }
  }
  CHECK(used > test::rounds(500));
  CHECK(lower > test::rounds(100));
}

TEST_CASE("a sampled replay sees rows too", "[run][overlap]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto run =
        planned(modelOf(test::randomRowGraph(seed)), {true, true}, "best", AliasRules::all());
    CHECK(replayBytes(*run, Bytes(1)).empty());
  }
}

TEST_CASE("one row less distance fails", "[run][overlap]") {
  std::size_t pairs = 0;
  for (const std::uint64_t seed : test::Seeds(400)) {
    const auto model = modelOf(test::randomRowPair(seed));
    const Graph& graph = *model->graph;
    const Schedule schedule = givenOrder(graph);
    const Storage storage =
        shareStorage(graph, schedule, {.alias = AliasRules::none(), .alignment = Bytes(1)});
    const auto chances = overlapChances(graph, schedule, storage);
    if (chances.empty()) continue;
    const OverlapChance& chance = chances[0];
    const Op& op = graph.ops[chance.op];
    CAPTURE(op.type, chance.up.count(), chance.down.count());
    const auto script = test::must(rowScriptOf(graph, op));
    const std::int64_t in = graph.tensors[chance.input].bytes->count();
    const std::int64_t out = graph.tensors[chance.output].bytes->count();
    const auto corrupts = [&](std::int64_t distance) {
      const bool bytes = !replayBytes(pairAt(model, distance), Bytes(1 << 24)).empty();
      const bool forward = distance < 0;
      const Bytes input(std::max<std::int64_t>(0, -distance));
      const bool rows = firstSpoiler(script, input, input + Bytes(distance), forward).has_value();
      CHECK(bytes == rows);
      return bytes;
    };
    // How a resize counts its coordinates is not known, and a group of several channels counts as
    // one row: their distances may be more than they need.
    const auto walk = test::must(rowWalkOf(graph, op));
    const bool resizes = op.type == "RESIZE_BILINEAR" || op.type == "Resize";
    const bool tight = !resizes && walk.planes * walk.inRows == script.inRows;
    if (chance.up.count() > 0 && chance.up.count() < out) {
      ++pairs;
      CHECK_FALSE(corrupts(-chance.up.count()));
      const std::int64_t less = chance.up.count() - std::min(script.outRow, chance.up).count();
      if (tight && less > 0) CHECK(corrupts(-less));
      if (tight && chance.up.count() > 1) CHECK(corrupts(1 - chance.up.count()));
    }
    if (chance.down.count() > 0 && chance.down.count() < in) {
      ++pairs;
      CHECK_FALSE(corrupts(chance.down.count()));
      const std::int64_t less = chance.down.count() - std::min(script.inRow, chance.down).count();
      if (tight) CHECK(corrupts(less));
      if (tight) CHECK(corrupts(chance.down.count() - 1));
    }
  }
  CHECK(pairs > test::rounds(200));
}

TEST_CASE("kernels are the platform's word", "[run][overlap]") {
  const auto model = modelOf(pixelGraph());
  const auto peak = [&](KernelWays ways) {
    return planned(model, ways, "best", AliasRules::none())->plan.footprint(PoolId(0));
  };
  // 256 bytes become 1,024; a row is 32 or 128.
  CHECK(peak({}) == Bytes(1280));
  // Forwards the last output row ends where the last input row begins, at the latest.
  CHECK(peak({.forward = true}) == Bytes(1024 + 32));
  CHECK(peak({.reverse = true}) == Bytes(1024 + 32));
  const auto note = [&](KernelWays ways) {
    const auto run = planned(model, ways, "best", AliasRules::none());
    return run->notes.empty() ? "" : run->notes.back();
  };
  CHECK(note({}).find("no unit of platform") != std::string::npos);
  CHECK(note({.forward = true}).find("1 of 1 outputs") != std::string::npos);
}

TEST_CASE("methods that do not know overlaps say so", "[run][overlap]") {
  const auto model = modelOf(pixelGraph());
  const auto run = planned(model, {true, true}, "free-list", AliasRules::none());
  CHECK(run->problem.overlaps.empty());
  REQUIRE_FALSE(run->notes.empty());
  CHECK(run->notes.back() == "outputs overlap no inputs: free-list gives each bytes of its own");
}

TEST_CASE("a file states overlaps, and a judge believes none that is wrong", "[run][overlap]") {
  const auto model = modelOf(pixelGraph());
  const auto run = planned(model, {.forward = true}, "best", AliasRules::none());
  for (const auto write : {writePlanJson, writePlanCsv}) {
    PlanDocument plan = written(*run, write);
    REQUIRE(plan.overlaps.size() == 1);
    CHECK(plan.overlaps[0].way == OverlapWay::forward);
    CHECK(plan.overlaps[0].step == Step(1));
    CHECK(firstFinding(model, plan) == "");
    // The same bytes, and nobody says which way the kernel runs.
    PlanDocument unsaid = plan;
    unsaid.overlaps.clear();
    CHECK(firstFinding(model, unsaid).find("share bytes") != std::string::npos);
    PlanDocument turned = plan;
    turned.overlaps[0].way = OverlapWay::reverse;
    CHECK(firstFinding(model, turned).find("would lie on bytes") != std::string::npos);
    PlanDocument elsewhere = plan;
    elsewhere.overlaps[0].step = Step(7);
    CHECK(firstFinding(model, elsewhere).find("no such step") != std::string::npos);
    // One row nearer.
    PlanDocument nearer = plan;
    for (Placement& placement : nearer.placements) {
      if (placement.tensor == plan.overlaps[0].input) placement.offset -= Bytes(32);
    }
    CHECK(firstFinding(model, nearer).find("would lie on bytes") != std::string::npos);
  }
}

TEST_CASE("bytes that two share are live once", "[overlap][property]") {
  std::size_t shared = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto run = planned(modelOf(test::randomImages(seed, 2 + seed % 6)), {true, true}, "best",
                             seed % 2 == 0 ? AliasRules::all() : AliasRules());
    const StepFunction live = liveBytes(run->problem, run->plan);
    for (Step step; step < run->problem.steps; step += Step(1)) {
      // The moment goes by addresses: what lies on one byte is one byte.
      const Bytes there = momentAt(run->problem, run->plan, PoolId(0), step).live;
      CHECK(live.at(step) == there);
      CHECK(liveBytesAt(run->problem, run->plan, step) == there);
    }
    for (std::size_t i = 1; i < live.pieces.size(); ++i) {
      CHECK(live.pieces[i - 1].from < live.pieces[i].from);
      CHECK(live.pieces[i - 1].value != live.pieces[i].value);
    }
    CHECK(live.max() <= run->plan.footprint(PoolId(0)));
    shared += sharing(*run);
  }
  CHECK(shared > test::rounds(10));
}

TEST_CASE("operators in parts write over rows that nobody needs any more",
          "[run][overlap][tile][property]") {
  std::size_t shared = 0;
  std::size_t lower = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    const auto model = modelOf(test::randomImages(seed, 3 + seed % 6));
    const auto rule = static_cast<TileRule>(1 + seed % 5);
    CAPTURE(tileRuleName(rule));
    const auto run = planned(model, {seed % 2 == 0, seed % 3 == 0}, "best:moves=3000,nodes=3000",
                             seed % 4 == 0 ? AliasRules::all() : AliasRules(), rule);
    CHECK(validate(run->problem, run->plan).empty());
    const auto corruptions = replayBytes(*run, Bytes(1 << 24));
    CHECK((corruptions.empty() ? "" : corruptions[0].message) == "");
    CHECK(run->metrics.lowerBound <= run->plan.footprint(PoolId(0)));
    const PlanDocument plan = written(*run, writePlanJson);
    CHECK(firstFinding(model, plan) == "");
    const StepFunction live = liveBytes(run->problem, run->plan);
    for (Step step; step < run->problem.steps; step += Step(1)) {
      CHECK(live.at(step) == momentAt(run->problem, run->plan, PoolId(0), step).live);
    }
    shared += static_cast<std::size_t>(
        std::ranges::count(plan.overlaps, OverlapWay::parts, &StatedOverlap::way));
    const auto apart = [&] {
      RunRequest request = run->request;
      request.overlap = false;
      return execute(model, request, {}).value();
    }();
    CHECK(run->metrics.lowerBound <= apart->metrics.lowerBound);
    lower += run->plan.footprint(PoolId(0)) < apart->metrics.lowerBound ? 1 : 0;
  }
  CHECK(shared >= test::rounds(5));
  CHECK(lower >= test::rounds(10));
}

TEST_CASE("parts that are a byte too near lose one", "[run][overlap][tile][property]") {
  std::size_t pairs = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    const auto model = modelOf(test::randomImages(seed, 3 + seed % 6));
    const auto rule = static_cast<TileRule>(1 + seed % 5);
    const auto run = planned(model, {}, "best:moves=300,nodes=300", AliasRules::none(), rule);
    const auto all = overlapChances(run->graph(), run->schedule, run->storage);
    const auto chance = std::ranges::find(all, OpId(), &OverlapChance::op);
    if (chance == all.end()) continue;
    CAPTURE(tileRuleName(rule), chance->up.count(), chance->down.count());
    const auto corrupts = [&](std::int64_t distance) {
      return !replayBytes(pairAt(*run, distance, true), Bytes(1 << 24)).empty();
    };
    const auto sizeOf = [&](TensorId id) { return *run->graph().tensors[id].bytes; };
    if (chance->up < sizeOf(chance->output)) {
      ++pairs;
      CHECK_FALSE(corrupts(-chance->up.count()));
      if (chance->up > Bytes()) CHECK(corrupts(1 - chance->up.count()));
    }
    if (chance->down < sizeOf(chance->input)) {
      ++pairs;
      CHECK_FALSE(corrupts(chance->down.count()));
      if (chance->down > Bytes()) CHECK(corrupts(chance->down.count() - 1));
    }
  }
  CHECK(pairs >= test::rounds(20));
}
