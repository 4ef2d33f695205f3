#include "core/sim/simulator.h"

#include <catch2/catch.hpp>
#include <random>

#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/sim/cost_model.h"
#include "core/trace/timeline.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/nanoseconds.h"
#include "tests/support/planned_graph.h"

using namespace hw;
using hw::test::ns;
using hw::test::PlannedGraph;

namespace {

/// One MAC, one element and one byte of L2 a nanosecond; L3 takes two a byte.
Platform slowBoard() {
  Platform board{.name = "board", .devices = {{.name = "npu", .ops = {"*"}}}};
  board.devices[0].pools = {{.name = "L2",
                             .readBandwidth = 1'000'000'000,
                             .writeBandwidth = 1'000'000'000,
                             .readLatency = ns(5),
                             .writeLatency = ns(5),
                             .picojoulesPerByte = 1},
                            {.name = "L3",
                             .readBandwidth = 500'000'000,
                             .writeBandwidth = 500'000'000,
                             .readLatency = ns(20),
                             .writeLatency = ns(20),
                             .picojoulesPerByte = 10}};
  board.devices[0].units = {{.name = "mac", .ops = {"*"}}};
  return board;
}

/// x (1,4) -> Gemm by w (4,8) -> a (1,8) -> Relu -> y (1,8); int8.
void fillChain(PlannedGraph& sample) {
  const auto x = sample.tensor("x", {1, 4});
  const auto w = sample.tensor("w", {4, 8}, true);
  const auto a = sample.tensor("a", {1, 8});
  const auto y = sample.tensor("y", {1, 8});
  sample.op("Gemm", {x, w}, {a});
  sample.op("Relu", {a}, {y});
  sample.builder.addInput(x);
  sample.builder.addOutput(y);
}

/// Any ops on any earlier tensors.
void fillRandomly(PlannedGraph& sample, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<GraphBuilder::Handle> made{sample.tensor("x", {1, 16})};
  sample.builder.addInput(made[0]);
  for (std::size_t i = 0; i < 30; ++i) {
    const std::int64_t width = 1 + static_cast<std::int64_t>(random() % 64);
    const auto out = sample.tensor("t" + std::to_string(i), {1, width});
    const auto from = made[random() % made.size()];
    if (random() % 2 == 0) {
      sample.op("Add", {from, made[random() % made.size()]}, {out});
    } else {
      const std::int64_t depth = sample.builder.tensor(from).shape->at(1);
      sample.op("MatMul", {from, sample.tensor("w" + std::to_string(i), {depth, width}, true)},
                {out});
    }
    made.push_back(out);
  }
  sample.builder.addOutput(made.back());
}

Bytes moved(const Traffic& traffic, TrafficClass kind, bool written) {
  return (written ? traffic.written : traffic.read)[static_cast<std::size_t>(kind)];
}

}  // namespace

TEST_CASE("an op takes its slowest part, and the first access of each pool", "[sim]") {
  PlannedGraph sample;
  fillChain(sample);
  sample.plan(AliasRules());
  const Timing timing = sample.simulate(slowBoard()).timing;

  REQUIRE(timing.ops.size() == 2);
  const OpTiming& gemm = timing.ops[0];
  CHECK(gemm.macs == 32);
  CHECK(gemm.compute == ns(32));
  CHECK(gemm.memory[PoolId(0)] == ns(4 + 8));
  CHECK(gemm.memory[PoolId(1)] == ns(32 * 2));
  CHECK(gemm.latency == ns(5 + 20));
  CHECK(gemm.bottleneck == Bottleneck{Bottleneck::Kind::memory, PoolId(1)});
  CHECK(gemm.time == Interval<SimTime>{ns(0), ns(64 + 25)});
  CHECK(gemm.moved[PoolId(0)] == Bytes(4 + 8));
  CHECK(gemm.moved[PoolId(1)] == Bytes(32));
  CHECK(gemm.inputs == Bytes(4));
  CHECK(gemm.weights == Bytes(32));
  CHECK(gemm.outputs == Bytes(8));

  const OpTiming& relu = timing.ops[1];
  CHECK(relu.elements == 8);
  CHECK(relu.bottleneck == Bottleneck{Bottleneck::Kind::memory, PoolId(0)});
  CHECK(relu.time == Interval<SimTime>{ns(89), ns(89 + 16 + 5)});
  CHECK(relu.moved[PoolId(0)] == Bytes(8 + 8));

  const auto& traffic = timing.traffic;
  CHECK(moved(traffic[PoolId(0)], TrafficClass::input, false) == Bytes(4));
  CHECK(moved(traffic[PoolId(0)], TrafficClass::intermediate, true) == Bytes(8));
  CHECK(moved(traffic[PoolId(1)], TrafficClass::weight, false) == Bytes(32));
  CHECK(moved(traffic[PoolId(0)], TrafficClass::output, true) == Bytes(8));

  CHECK(timing.makespan == ns(110));
  CHECK(timing.macs == 32);
  CHECK(timing.traffic[PoolId(0)].total() == Bytes(4 + 8 + 8 + 8));
  CHECK(timing.traffic[PoolId(1)].total() == Bytes(32));
  CHECK(timing.energyPicojoules == 28 * 1 + 32 * 10);
  CHECK(timing.compulsory == Bytes(4 + 32 + 8));
  CHECK(timing.notes.empty());
}

TEST_CASE("free weights cost nothing", "[sim]") {
  PlannedGraph sample;
  fillChain(sample);
  sample.plan(AliasRules());
  const Timing timing = sample.simulate(slowBoard(), false).timing;
  CHECK(timing.ops[0].time.end == ns(32 + 5));
  CHECK(timing.ops[0].bottleneck == Bottleneck{Bottleneck::Kind::compute});
  CHECK(timing.traffic[PoolId(1)].total() == Bytes(0));
  CHECK(timing.compulsory == Bytes(4 + 8));
}

TEST_CASE("a spilled buffer moves in L3", "[sim]") {
  PlannedGraph sample;
  fillChain(sample);
  sample.plan(AliasRules(), {"a"});
  const Timing timing = sample.simulate(slowBoard()).timing;
  CHECK(timing.ops[0].memory[PoolId(1)] == ns((32 + 8) * 2));
  CHECK(timing.ops[1].memory[PoolId(0)] == ns(8));
  CHECK(timing.ops[1].memory[PoolId(1)] == ns(8 * 2));
  CHECK(timing.ops[1].latency == ns(5 + 20));
}

namespace {

Bytes inBursts(Bytes bytes) { return alignUp(bytes, Bytes(64)); }

/// Each of the stretches in which a piece lies by itself.
Bytes inBurstsByRow(const Graph& graph, TensorId tensor) {
  if (pieceOf(graph, tensor) == nullptr) return inBursts(*graph.tensors[tensor].bytes);
  Bytes sum;
  for (const auto& stretch : stretchesOf(graph, tensor)) sum += inBursts(stretch.length());
  return sum;
}

}  // namespace

TEST_CASE("an operator in parts moves rows in whole bursts", "[sim][tile]") {
  const auto sample = GENERATE("resnet8", "mobilenet_v2_int8");
  const auto rule = GENERATE(TileRule::lines, TileRule::stripes);
  const auto inputs = GENERATE(InputPlace::arena, InputPlace::external);
  CAPTURE(sample, rule, inputs);
  RunRequest request = test::workedRequest("greedy-by-size");
  request.tile = rule;
  request.platform = test::must(findPlatform("generic-npu"));
  for (PoolSpec& pool : request.platform.devices[0].pools) pool.burst = Bytes(64);
  request.inputs = inputs;
  request.weights.rule = WeightRule::free;
  request.l2 = {.kind = PoolSize::Kind::unbounded};
  const auto model =
      std::make_shared<const Model>(test::must(openModel(std::string("samples:") + sample, {})));
  const auto run = test::mustRun(model, request);
  const Graph& graph = run->graph();
  std::size_t apart = 0;  // Operators that move more than if their bytes were together.
  for (const ActivityId id : run->timing.activities.activities.keys()) {
    const Activity& activity = run->timing.activities.activities[id];
    std::vector<TensorId> tensors = graph.reads(activity.op);
    const auto& outputs = graph.ops[activity.op].outputs;
    tensors.insert(tensors.end(), outputs.begin(), outputs.end());
    Bytes together;
    Bytes expected;
    for (const TensorId tensor : tensors) {
      if (!tensor || graph.tensors[tensor].constant) continue;
      together += inBursts(*graph.tensors[tensor].bytes);
      expected += inBurstsByRow(graph, tensor);
    }
    Bytes moved;
    for (const PortUse& use : activity.ports) moved += use.read + use.written;
    // Bytes of a class that lie together are rounded up together.
    CHECK(moved <= expected);
    CHECK(expected - moved < Bytes(64) * static_cast<std::int64_t>(tensors.size()));
    if (expected > together) ++apart;
  }
  CHECK(apart > 0);
}

TEST_CASE("time counts whole bursts, traffic exact bytes", "[sim]") {
  PlannedGraph sample;
  fillChain(sample);
  sample.plan(AliasRules());
  Platform board = slowBoard();
  board.devices[0].pools[1].burst = Bytes(128);
  const Timing timing = sample.simulate(board).timing;
  CHECK(timing.ops[0].memory[PoolId(1)] == ns(128 * 2));
  CHECK(timing.traffic[PoolId(1)].total() == Bytes(32));
}

TEST_CASE("what only aliases takes no time, what is copied is read and written", "[sim]") {
  PlannedGraph sample;
  const std::int64_t rows = GENERATE(1, 2);  // Two rows interleave: their slices are in pieces.
  const auto x = sample.tensor("x", {rows, 6});
  const auto a = sample.tensor("a", {rows, 6});
  const auto b = sample.tensor("b", {rows, 6});
  const auto y = sample.tensor("y", {rows, 12});
  sample.op("Relu", {x}, {a});
  sample.op("Relu", {a}, {b});
  sample.op("Concat", {a, b}, {y}, {{"axis", std::int64_t{1}}});
  sample.builder.addInput(x);
  sample.builder.addOutput(y);
  sample.plan(AliasRules(), {"y"});
  const OpTiming concat = sample.simulate(slowBoard()).timing.ops[2];
  CAPTURE(rows);
  CHECK(concat.elements == (rows == 1 ? 0 : 24));
  if (rows == 1) {
    CHECK(concat.moved[PoolId(0)] == Bytes(0));
    CHECK(concat.time.length() == ns(0));
    CHECK(concat.bottleneck == Bottleneck());
  } else {
    CHECK(concat.moved[PoolId(0)] == Bytes(24));
    CHECK(concat.moved[PoolId(1)] == Bytes(24));
    CHECK(concat.inputs == Bytes(24));
    CHECK(concat.outputs == Bytes(24));
    CHECK(concat.time.length() == ns(24 * 2 + 5 + 20));
  }
}

TEST_CASE("a concat that is sliced in part copies the rest", "[sim]") {
  // The graph input cannot be a slice of y; a is one.
  PlannedGraph sample;
  const auto x = sample.tensor("x", {1, 6});
  const auto a = sample.tensor("a", {1, 6});
  const auto y = sample.tensor("y", {1, 12});
  sample.op("Relu", {x}, {a});
  sample.op("Concat", {a, x}, {y}, {{"axis", std::int64_t{1}}});
  sample.builder.addInput(x);
  sample.builder.addOutput(y);
  sample.plan(AliasRules());
  const OpTiming concat = sample.simulate(slowBoard()).timing.ops[1];
  CHECK(concat.inputs == Bytes(6));
  CHECK(concat.outputs == Bytes(6));
  CHECK(concat.moved[PoolId(0)] == Bytes(12));
}

TEST_CASE("allocations come with the start of their op, releases with its end", "[sim]") {
  PlannedGraph sample;
  fillChain(sample);
  sample.plan(AliasRules());
  const Simulation simulation = sample.simulate(slowBoard());
  REQUIRE(simulation.trace.events() == sample.decided.story);
  std::vector<std::string> told;
  for (const TimelineEntry& entry : describe(simulation.trace.events(), 2)) {
    const SimTime time = simulation.trace.timeOf(entry.firstEvent);
    told.push_back(std::to_string(time.count() / 1'000) + " " +
                   std::string(happeningName(entry.happening)) + " " +
                   std::to_string(entry.stay.index()));
  }
  CHECK(told == std::vector<std::string>{"0 fresh 0", "0 fresh 1", "89 release 0", "89 fresh 2",
                                         "110 release 1", "110 merge 1"});
}

TEST_CASE("equal inputs give equal streams, and every change shows", "[sim][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{11}));
  CAPTURE(seed);
  PlannedGraph sample;
  fillRandomly(sample, seed);
  sample.plan(AliasRules(), {"t3", "t7", "t20"});
  const Platform board = slowBoard();
  const Simulation once = sample.simulate(board);
  const Simulation twice = sample.simulate(board);
  CHECK(once.timing.digest == twice.timing.digest);

  // The run is the sum of its ops, and each is its slowest part.
  SimTime now;
  for (const OpTiming& op : once.timing.ops) {
    SimTime longest = op.compute;
    for (const SimTime memory : op.memory) longest = std::max(longest, memory);
    REQUIRE(op.time.begin == now);
    REQUIRE(op.time.length() == longest + op.latency);
    now = op.time.end;
  }
  CHECK(once.timing.makespan == now);

  Platform faster = board;
  faster.devices[0].units[0].clock *= 3;
  faster.devices[0].pools[0].readBandwidth *= 2;
  CHECK(sample.simulate(faster).timing.digest != once.timing.digest);
  PlannedGraph elsewhere = sample;
  for (MemoryEvent& event : elsewhere.decided.story) {
    if (event.pool == 1) event.region = RegionId(1);
  }
  CHECK(elsewhere.simulate(board).timing.digest != once.timing.digest);
}

TEST_CASE("a problem without ops is played at time zero, whatever its steps", "[sim]") {
  const Graph graph;
  const Schedule schedule;
  const Storage storage;
  Problem problem;
  problem.pools = {{.name = "L2"}};
  problem.steps = kMaxStep;
  problem.stays.add({.buffer = BufferId(0), .steps = {Step(0), kMaxStep}, .size = Bytes(10)});
  problem.stays.add(
      {.buffer = BufferId(1), .steps = {Step(5), Step(2'000'000'000)}, .size = Bytes(7)});
  problem.stays.add(
      {.buffer = BufferId(2), .steps = {Step(2'000'000'000), kMaxStep}, .size = Bytes(7)});
  Plan plan;
  for (const std::int64_t offset : {0, 10, 10}) {
    plan.addresses.add(Address{PoolId(0), RegionId(0), Bytes(offset)});
  }
  plan.story = narrate(problem, plan);
  const Simulation simulation = simulate({graph, schedule, storage, problem, plan, slowBoard()});
  CHECK(simulation.trace.events() == plan.story);
  CHECK(simulation.timing.makespan == SimTime(0));
  CHECK(simulation.timing.ops.empty());
  CHECK(simulation.timing.traffic.size() == 1);  // The board has two pools, the problem one.
  CHECK(simulation.trace.timeOf(plan.story.size() - 1) == SimTime(0));
  CHECK(simulation.trace.usage(PoolId(0), 0, plan.story.size()).high == Bytes(17));
}

TEST_CASE("what cannot be timed is noted once a cause", "[sim]") {
  PlannedGraph sample;
  fillChain(sample);
  sample.builder.tensor(2).shape.reset();  // a keeps its bytes, but nobody knows its shape.
  sample.plan(AliasRules());
  Platform board = slowBoard();
  board.devices[0].units = {{.name = "vec", .ops = {"Relu"}}};
  sample.decided.addresses[StayId(1)].reset();
  const std::vector<std::string> notes = sample.simulate(board).timing.notes;
  CHECK(notes ==
        std::vector<std::string>{
            "1 ops are of a type that no unit of 'npu' runs and are timed on 'vec' (first: Gemm)",
            "2 ops have no compute time (first: Gemm_0: the shape of its output 'a' is unknown)",
            "2 uses of tensors without an address are timed as if they lived in L3 (first: a)"});
}

TEST_CASE("endless work is cut off, and said to be", "[sim]") {
  PlannedGraph sample;
  const auto x = sample.tensor("x", {std::int64_t{1} << 58});
  const auto y = sample.tensor("y", {1});
  for (int i = 0; i < 20; ++i) sample.op("Relu", {x}, {sample.tensor("t", {1})});
  sample.op("Relu", {x}, {y});
  sample.builder.addInput(x);
  sample.builder.addOutput(y);
  sample.plan(AliasRules());
  Platform board = slowBoard();
  board.devices[0].pools[0].readBandwidth = 1;
  const Timing timing = sample.simulate(board).timing;
  CHECK(timing.makespan == kMaxTime);
  CHECK(timing.traffic[PoolId(0)].total() == kMaxTraffic);
  CHECK(timing.notes ==
        std::vector<std::string>{"the run takes longer than 53 days; times are cut off there",
                                 "MACs or bytes moved are too many to count in 62 bits"});
}
