#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/order/order_problem.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "tests/support/depthwise_chain.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

// Depthwise convolutions that run over their input, channel by channel, with a plane of scratch:
// docs/less.md, "in place".

using namespace hw;
using namespace hw::test;

TEST_CASE("a depthwise convolution takes a plane of scratch and its input's place",
          "[by-channel]") {
  for (const bool last : {true, false}) {
    const auto run = runOf(threeOps({.last = last}));
    // 6 x 6 places of 4 channels, twice for the point-wise ones; in place 144 + 36.
    const auto scratch = scratchIn(*run);
    REQUIRE(scratch.size() == 1);
    CHECK(run->graph().tensors[scratch[0]].name == "t1 scratch");
    CHECK(run->graph().tensors[scratch[0]].bytes == Bytes(36));
    const Buffer& held = run->storage.buffers[run->storage.bufferOf(scratch[0])];
    CHECK(held.steps == Interval<Step>{Step(1), Step(2)});
    CHECK(run->storage.inPlace == std::vector{test::tensorOf(run->graph(), "t1")});
    CHECK(run->metrics.lowerBound == Bytes(288));
    CHECK(firstFault(*run) == "");
    const auto has = [](const std::string& note) {
      return note.find("channel by channel") != note.npos;
    };
    CHECK(std::ranges::any_of(run->notes, has));
  }
}

TEST_CASE("without work in place nobody sets scratch aside", "[by-channel]") {
  RunRequest request = planningRequest();
  const auto run = test::must(execute(threeOps({}), request, {}));
  CHECK_FALSE(run->rewritten);
}

TEST_CASE("depthwise chains in place come through the replay", "[by-channel]") {
  std::size_t over = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    std::mt19937_64 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
      return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    DepthwiseChain chain({.last = draw(0, 1) == 1,
                          .images = draw(1, 2),
                          .channels = draw(2, 5),
                          .dtype = draw(0, 1) == 1 ? Dtype::int8 : Dtype::float32},
                         draw(3, 9));
    for (std::int64_t i = draw(2, 6); i > 0; --i) {
      const auto before = chain.image();
      const bool halves = draw(0, 3) == 0;
      draw(0, 2) > 0 ? chain.depthwise(halves ? 2 : 1) : chain.point();
      // Read later: what made `before` smaller, or went over it, would spoil it.
      if (!halves && draw(0, 4) == 0) {
        chain.join(before);
        break;
      }
    }
    const auto model = std::move(chain).done();
    for (const OpOrder order : {OpOrder::given, OpOrder::leastPeak}) {
      for (const char* allocator : {"greedy-by-size", "free-list", "placement-search"}) {
        CAPTURE(opOrderName(order), allocator);
        const auto run = runOf(model, order, allocator);
        CHECK(validate(run->problem, run->plan).empty());
        CHECK(firstFault(*run) == "");
        CHECK(firstFault(*run, Bytes(1)) == "");
        CHECK(firstFinding(model, *run, writePlanJson) == "");
        CHECK(firstFinding(model, *run, writePlanCsv) == "");
        if (run->order) CHECK(run->order->peak == run->metrics.lowerBound);
        over += scratchIn(*run).size();
        if (order != OpOrder::leastPeak) continue;
        const auto bound = run->order->bound;
        CHECK((bound && *bound <= run->metrics.lowerBound));
      }
    }
  }
  CHECK(over > test::rounds(250));
}

TEST_CASE("scratch goes with parts, repeats and overlaps", "[by-channel]") {
  std::size_t nearer = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    std::mt19937_64 random(seed);
    DepthwiseChain chain({.last = seed % 2 == 0, .channels = seed % 3 == 0 ? 2 : 8}, 9);
    for (int i = 0; i < 5; ++i) random() % 2 == 0 ? chain.depthwise(1) : chain.point();
    const auto model = std::move(chain).done();
    RunRequest request = planningRequest();
    request.allocator = AllocatorChoice::parse("best:moves=3000,nodes=3000").value();
    request.alias = AliasRules::all();
    request.alignment = Bytes(1);
    const auto whole = execute(model, request, {}).value();
    const auto tried = [&](const char* what) {
      CAPTURE(what);
      const auto run = execute(model, request, {}).value();
      CHECK(firstFault(*run) == "");
      CHECK(firstFinding(model, *run, writePlanJson) == "");
      CHECK(run->metrics.lowerBound <= whole->metrics.lowerBound);
      return run;
    };
    request.overlap = true;
    for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = {true, true};
    nearer += tried("overlap")->metrics.lowerBound < whole->metrics.lowerBound ? 1 : 0;
    request.recompute = true;
    tried("overlap and again");
    request.overlap = false;
    request.tile = TileRule::lines;
    tried("parts");
  }
  CHECK(nearer > test::rounds(5));
}

TEST_CASE("what is read later, or handed out, is not written over", "[by-channel]") {
  DepthwiseChain chain({}, 6);
  chain.point();
  const auto before = chain.image();
  chain.depthwise(1);
  chain.join(before);
  const auto run = runOf(std::move(chain).done());
  CHECK(scratchIn(*run).empty());
  // The caller's input is not handed back.
  DepthwiseChain one({}, 6);
  one.depthwise(1);
  CHECK(scratchIn(*runOf(std::move(one).done())).empty());
}

TEST_CASE("one channel, or a channel of its own size, sets nothing aside", "[by-channel]") {
  CHECK_FALSE(runOf(threeOps({.channels = 1}))->rewritten);
}

TEST_CASE("scratch that is too small, or lies over the input, fails", "[by-channel]") {
  for (const bool last : {true, false}) {
    for (const std::int64_t stride : {1, 2}) {
      CAPTURE(last, stride);
      const auto model = threeOps({.last = last}, stride);
      const Run good = *runOf(model);
      if (stride == 2 && scratchIn(good).empty()) continue;
      REQUIRE(firstFault(good) == "");
      const TensorId scratch = scratchIn(good).at(0);
      const auto small = [&](const Graph& from) {
        auto graph = std::make_shared<Graph>(from);
        graph->tensors[scratch].bytes = *graph->tensors[scratch].bytes - Bytes(1);
        return graph;
      };
      Run mutant = good;
      mutant.rewritten = small(good.graph());
      CHECK(firstFault(mutant).find("bytes of scratch, but a plane of its output takes") !=
            std::string::npos);
      // Somewhere in the input, the last byte of the scratch over its first, and so on.
      const StayId held(good.storage.bufferOf(scratch).index());
      const StayId image(good.storage.bufferOf(test::tensorOf(good.graph(), "t1")).index());
      const std::int64_t input = good.problem.stays[image].size.count();
      const std::int64_t plane = good.problem.stays[held].size.count();
      const std::int64_t begin = good.plan.addresses[image]->offset.count();
      for (std::int64_t at = std::max<std::int64_t>(0, begin - plane + 1); at < begin + input;
           ++at) {
        Run over = good;
        over.plan.addresses[held]->offset = Bytes(at);
        over.plan.regions[PoolId(0)][RegionId(0)] = Bytes(1000);
        CAPTURE(at);
        CHECK(firstFault(over) != "");
      }
    }
  }
}

TEST_CASE("channels made of others fail in the place of their input", "[by-channel]") {
  // The same plan, told of an operator that makes each channel of two, or all.
  for (const std::int64_t groups : {2, 1}) {
    const Run good = *runOf(threeOps({.last = false}));
    REQUIRE(firstFault(good) == "");
    const OpId op = good.graph().tensors[scratchIn(good).at(0)].producer;
    const auto grouped = [&](const Graph& from, OpId at) {
      auto graph = std::make_shared<Graph>(from);
      graph->ops[at].attributes["group"] = groups;
      return graph;
    };
    auto original = grouped(*good.model->graph, good.graph().tiling->opOf[op]);
    auto graph = grouped(good.graph(), op);
    auto tiling = std::make_shared<Tiling>(*graph->tiling);
    tiling->original = original;
    graph->tiling = tiling;
    Run mutant = good;
    mutant.rewritten = graph;
    CHECK(firstFault(mutant).find("but makes channel") != std::string::npos);  // Provenance,
    graph->tiling = nullptr;
    CHECK(firstFault(mutant).find("op 'dw1': byte") == 0);  // and bytes.
  }
}

TEST_CASE("an input that somebody reads behind it fails", "[by-channel]") {
  Run mutant = *runOf(threeOps({}));
  auto graph = std::make_shared<Graph>(mutant.graph());
  const TensorId before = test::tensorOf(*graph, "t0");
  for (Op& op : graph->ops) {
    if (op.name == "point2") op.inputs.push_back(before);
  }
  mutant.rewritten = graph;
  CHECK(firstFault(mutant) == "op 'point2' does not read and make what it did");
  graph->tiling = nullptr;
  CHECK(firstFault(mutant).find("op 'point2': byte") == 0);
}

TEST_CASE("work in place without scratch is found out", "[by-channel]") {
  Run mutant = *runOf(threeOps({}));
  mutant.storage.slots[scratchIn(mutant).at(0)].reset();
  CHECK(firstFault(mutant).find("with 0 bytes of scratch, but a plane of its output takes 36") !=
        std::string::npos);
}

// Scratch in files: who has some is read back as it was written.

TEST_CASE("a plan CSV says who has scratch, and numbers do not shift", "[by-channel]") {
  // Two rows of the large image are nearer to its input than a plane; of the small one they are
  // not.
  DepthwiseChain chain({.channels = 2}, 9);
  chain.point();
  chain.depthwise(1);
  chain.depthwise(3);
  chain.point();
  chain.depthwise(1);
  chain.point();
  const auto model = std::move(chain).done();
  RunRequest request = planningRequest();
  request.alias = AliasRules::all();
  request.alignment = Bytes(1);
  request.overlap = true;
  for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = {true, true};
  const auto run = execute(model, request, {}).value();
  const auto scratch = scratchIn(*run);
  REQUIRE(scratch.size() == 1);
  const auto made = [](const Op& op) { return op.type == "DEPTHWISE_CONV_2D"; };
  REQUIRE(std::ranges::count_if(run->graph().ops, made) == 3);
  std::ostringstream file;
  writePlanCsv(*run, file);
  const TensorId last = model->graph->ops[OpId(4)].outputs[0];
  CHECK(file.str().find(fmt::format("\nt{}+scratch,", last.index())) != std::string::npos);
  CHECK(file.str().find(fmt::format("\nt{},", model->graph->tensors.size())) == std::string::npos);
  CHECK(firstFinding(model, *run, writePlanCsv) == "");
  // Scratch of an op that needs none is no tensor.
  const auto plan = test::must(readPlan("id,offset\nt0+scratch,0\n"));
  CHECK(auditPlan(model, plan, {}).findings.size() > 0);
}

TEST_CASE("a graph with scratch is read back as it was written", "[by-channel][import]") {
  const auto run = runOf(threeOps({}));
  std::ostringstream out;
  writeGraphJson(run->graph(), out);
  const std::string text = out.str();
  const auto again = test::must(importModel(text, "again.json", {}));
  CHECK(scratchOf(*again.graph, again.graph->ops[OpId(1)]));
  const auto replanned = runOf(std::make_shared<const Model>(again));
  CHECK(scratchIn(*replanned).size() == 1);
  CHECK(firstFault(*replanned) == "");
  CHECK(replanned->plan.footprint(PoolId(0)) == run->plan.footprint(PoolId(0)));
  // Read by somebody, it is no scratch.
  std::string read = text;
  const std::string w = R"("t1","w2")";
  const auto at = read.find(w);
  REQUIRE(at != std::string::npos);
  read.replace(at, w.size(), R"("t1","t1 scratch")");
  CHECK(test::mustFail(importModel(read, "read.json", {})).message.find("nor scratch") !=
        std::string::npos);
}
