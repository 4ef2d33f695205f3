#include <catch2/catch.hpp>

#include "core/sim/simulator.h"
#include "tests/support/nanoseconds.h"
#include "tests/support/planned_graph.h"

using namespace hw;
using hw::test::ns;
using hw::test::PlannedGraph;

namespace {

/// One element a nanosecond, L2 a byte a nanosecond each way, L3 half of that, one DMA channel.
Platform movingBoard() {
  Platform board{.name = "board"};
  DeviceSpec npu{.name = "npu", .ops = {"*"}, .issue = Issue::parallel};
  npu.pools = {{.name = "L2",
                .readBandwidth = 1'000'000'000,
                .writeBandwidth = 1'000'000'000,
                .fullDuplex = true},
               {.name = "L3",
                .readBandwidth = 500'000'000,
                .writeBandwidth = 500'000'000,
                .fullDuplex = true}};
  npu.units = {{.name = "mac", .ops = {"*"}}};
  npu.dma = {{.name = "dma", .moves = {{{0, 1}, {0, 0}}, {{0, 0}, {0, 1}}}}};
  board.devices = {npu};
  return board;
}

/// x -> a -> t -> b -> u -> c -> y, 40 bytes each; c may read z, too. Inputs are loaded from where
/// they have no address, y is stored to where it has none.
struct Moved : PlannedGraph {
  explicit Moved(std::optional<std::int64_t> zAt) {
    const auto x = tensor("x", {1, 40});
    const auto z = tensor("z", {1, 40});
    const auto t = tensor("t", {1, 40});
    const auto u = tensor("u", {1, 40});
    const auto y = tensor("y", {1, 40});
    op("Relu", {x}, {t});
    op("Relu", {t}, {u});
    if (zAt)
      op("Add", {u, z}, {y});
    else
      op("Relu", {u}, {y});
    builder.addInput(x);
    if (zAt) builder.addInput(z);
    builder.addOutput(y);
    graph = std::move(builder).build().value();
    schedule = givenOrder(graph);
    storage = shareStorage(graph, schedule, {.alias = AliasRules::none(), .alignment = Bytes(1)});
    problem.pools = {{.name = "L2"}, {.name = "L3", .level = 1}};
    problem.steps = schedule.steps();
    add("x", 0, 1, 0);
    add("t", 0, 2, 40);
    if (zAt) add("z", 1, 3, *zAt);
    add("u", 1, 3, zAt == 0 ? 80 : 0);
    add("y", 2, 3, 40);
    load("x", 0);
    if (zAt) load("z", 1);
    problem.moves.push_back({bufferOf("y"), stayOf("y"), {}, Step(2)});
    decided.regions = {{Bytes(120)}, {Bytes(0)}};
    decided.story = narrate(problem, decided);
  }

  BufferId bufferOf(const std::string& name) const {
    for (const BufferId id : storage.buffers.keys()) {
      if (graph.tensors[storage.rootOf(id)].name == name) return id;
    }
    return {};
  }
  StayId stayOf(const std::string& name) const {
    for (const StayId id : problem.stays.keys()) {
      if (problem.stays[id].buffer == bufferOf(name)) return id;
    }
    return {};
  }
  void add(const std::string& name, std::int64_t begin, std::int64_t end, std::int64_t at) {
    problem.stays.add({.buffer = bufferOf(name),
                       .steps = {Step(begin), Step(end)},
                       .size = Bytes(40),
                       .pool = PoolId(0)});
    decided.addresses.add(Address{PoolId(0), RegionId(0), Bytes(at)});
  }
  void load(const std::string& name, std::int64_t step) {
    problem.moves.push_back({bufferOf(name), {}, stayOf(name), Step(step)});
  }

  Simulation run(Platform board = movingBoard()) const {
    return hw::simulate({.graph = graph,
                         .schedule = schedule,
                         .storage = storage,
                         .problem = problem,
                         .plan = decided,
                         .platform = board,
                         .inputsFar = true,
                         .outputsFar = true});
  }
};

std::string timesOf(const Timing& timing) {
  std::string text;
  for (const ActivityId id : timing.activities.activities.keys()) {
    const ActivityTime& time = timing.times[id];
    const auto kind = timing.activities.activities[id].kind;
    text += std::string(kActivityKindNames[static_cast<std::size_t>(kind)]) + " " +
            std::to_string(time.start.count() / 1'000) + "-" +
            std::to_string(time.end.count() / 1'000) + " ";
  }
  return text;
}

std::vector<std::string> told(const Simulation& simulation) {
  std::vector<std::string> told;
  const Trace& trace = simulation.trace;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const MemoryEvent& event = trace.event(i);
    if (event.kind != EventKind::alloc && event.kind != EventKind::free) continue;
    told.push_back(std::to_string(trace.timeOf(i).count() / 1'000) +
                   (event.kind == EventKind::alloc ? " +" : " -") +
                   std::to_string(event.stay.index()) + " @" + std::to_string(event.step));
  }
  return told;
}

}  // namespace

TEST_CASE("moves of a plan run beside its ops", "[sim][machine]") {
  const Simulation simulation = Moved(std::nullopt).run();
  const Timing& timing = simulation.timing;
  CHECK(timesOf(timing) ==
        "load 0-80 compute 80-120 compute 120-160 compute 160-200 store 200-280 ");
  CHECK(timing.makespan == ns(280));
  // Worked in place in L3, the network could be faster than what was moved.
  CHECK(timing.account.ofOrder.time == ns(200));
  CHECK(timing.account.ofOrder.binds == "the data flow");
  CHECK(timing.account.ofPlan.time == ns(280));
  CHECK(timing.account.reuse.waits == ns(0));
  CHECK(timing.account.reuse.simulated == ns(0));
  CHECK(timing.account.criticalPath.size() == 5);
  CHECK(timing.traffic[PoolId(1)].read[static_cast<std::size_t>(TrafficClass::input)] == Bytes(40));
  CHECK(timing.traffic[PoolId(1)].written[static_cast<std::size_t>(TrafficClass::output)] ==
        Bytes(40));
  // Bytes are in use while something touches them: u gets those of x, y those of t.
  CHECK(told(simulation) == std::vector<std::string>{"0 +0 @0", "80 +1 @0", "120 -0 @0",
                                                     "120 +2 @1", "160 -1 @1", "160 +3 @2",
                                                     "200 -2 @2", "280 -3 @2"});
}

TEST_CASE("reuse has a price that data flow does not know", "[sim][machine]") {
  const Timing apart = Moved(80).run().timing;
  CHECK(timesOf(apart) ==
        "load 0-80 compute 80-140 load 80-200 compute 140-200 compute 200-280 store 280-360 ");
  CHECK(apart.account.reuse.waits == ns(0));
  CHECK(apart.account.reuse.bound == ns(0));
  CHECK(apart.account.slowed == ns(20 + 40 + 20));

  const Timing reused = Moved(0).run().timing;
  CHECK(reused.makespan == ns(380));
  CHECK(reused.account.reuse.waits == ns(40));
  CHECK(reused.account.reuse.bound == ns(40));
  CHECK(reused.account.reuse.simulated == ns(20));
  CHECK(reused.account.ofPlan.time == ns(320));
  // The engine has nothing to do from 80 to 120, and waits for the last op from 220 to 300.
  const EngineAccount& dma = reused.account.engines[1];
  CHECK(dma.busy == ns(80 + 100 + 80));
  CHECK(dma.stalls[static_cast<std::size_t>(WaitRule::reuse)] == ns(40));
  CHECK(dma.stalls[static_cast<std::size_t>(WaitRule::data)] == ns(80));
}

TEST_CASE("a sequential machine moves and computes one after the other", "[sim][machine]") {
  Platform board = movingBoard();
  board.devices[0].issue = Issue::sequential;
  const Moved sample(80);
  const Simulation simulation = sample.run(board);
  CHECK(timesOf(simulation.timing) ==
        "load 0-80 compute 80-120 load 120-200 compute 200-240 compute 240-320 store 320-400 ");
  CHECK(simulation.trace.events() == sample.decided.story);
  CHECK(simulation.timing.account.ofPlan.time == ns(400));
}

TEST_CASE("a move that no engine serves needs the pools alone", "[sim][machine]") {
  Platform board = movingBoard();
  board.devices[0].dma[0].moves.resize(1);  // Loads only.
  const Timing timing = Moved(std::nullopt).run(board).timing;
  CHECK(timing.makespan == ns(280));
  CHECK(timing.activities.activities[ActivityId(4)].engine == Activity::kNoEngine);
  CHECK(timing.notes == std::vector<std::string>{
                            "1 moves need the pools alone: no engine serves L2>L3 (first: y)"});
}

TEST_CASE("moves that no engine serves are named, and need the pools alone", "[sim][machine]") {
  Platform board = movingBoard();
  board.devices[0].dma[0].moves.pop_back();
  const Timing oneWay = Moved(std::nullopt).run(board).timing;
  CHECK(oneWay.notes == std::vector<std::string>{
                            "1 moves need the pools alone: no engine serves L2>L3 (first: y)"});
  CHECK(oneWay.makespan == ns(280));
  board.devices[0].dma.clear();
  const Timing none = Moved(0).run(board).timing;
  CHECK(none.notes ==
        std::vector<std::string>{"3 moves need the pools alone: 'npu' has no DMA engine (first: "
                                 "x)"});
}
