// Blocks of execution units, as they are told: taken and given back as a whole, in the story, in
// figures and in what the method records.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/import/samples.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/run/figures.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// A runs what begins with convolutions, on a unit for them and one for the rest; B runs the rest.
Platform pair(bool dma = false) {
  const std::string memory = R"(
pool = [{name = "L2", bandwidth = "32GB/s"}]
)";
  const std::string copies = dma ? "[[device.dma]]\nname = \"dma\"\nmoves = [\"A.L2>L2\"]\n" : "";
  return test::must(parsePlatform(R"(name = "pair"
[[device]]
name = "A"
ops = ["Conv", "Relu"]
)" + memory + R"(unit = [{name = "mac", ops = ["Conv"], clock = "1GHz"},
        {name = "vec", ops = ["*"], clock = "1GHz"}]
[[device]]
name = "B"
ops = ["*"]
)" + memory + R"(unit = [{name = "cpu", ops = ["*"], clock = "1GHz"}]
)" + copies));
}

std::shared_ptr<const Run> partitioned(Graph graph, const Platform& platform, bool record = false,
                                       const AliasRules& alias = AliasRules::none()) {
  RunRequest request = test::workedRequest("partition");
  request.platform = platform;
  request.alias = alias;
  auto model = std::make_shared<Model>();
  model->graph = std::make_shared<const Graph>(std::move(graph));
  return test::must(execute(model, request, {.record = record}));
}

/// The figure of the report that asked for this: `a` is read by B at step 1 and no more, but B's
/// unit runs to step 4.
Graph heldGraph() {
  return test::drawnGraph(
      {.tensors = {{"a", 100}, {"p", 10}, {"q", 8}, {"r", 6}, {"s", 4}, {"y", 2}},
       .inputs = {"a"},
       .ops = {"conv: Conv a -> p", "add: Add a, p -> q", "s1: Softmax q -> r",
               "s2: Softmax r -> s", "s3: Softmax s -> y"},
       .outputs = {"y"}});
}

StayId receivedStay(const Run& run, const std::string& name) {
  for (const StayId id : run.problem.stays.keys()) {
    const bool onB = run.problem.pools[run.plan.addresses[id]->pool].name.starts_with("B");
    if (onB && run.stayName(id) == name) return id;
  }
  return {};
}

/// No block is entered by others while it is held, and what lies in it goes when it does, unless
/// another of its tenants comes before.
void checkStory(const Run& run) {
  const auto& problem = run.problem;
  IdMap<StayId, const HeldBlock*> blockOf(problem.stays.size());
  for (const HeldBlock& block : run.plan.blocks) {
    for (const StayId id : block.tenants) blockOf[id] = &block;
  }
  for (const MemoryEvent& event : run.plan.story) {
    if (event.kind == EventKind::alloc) {
      const Interval<Bytes> taken{event.offset, event.offset + event.size};
      for (const HeldBlock& block : run.plan.blocks) {
        const Interval<Bytes> bytes{block.place.offset, block.place.offset + block.size};
        const bool there = block.place.pool == event.poolId() &&
                           block.place.region == event.region &&
                           block.steps.contains(Step(event.step)) && bytes.overlaps(taken);
        CHECK((!there || blockOf[event.stay] == &block));
      }
    }
    if (event.kind != EventKind::free) continue;
    const HeldBlock& block = *blockOf[event.stay];
    const Step end = Step(event.step) + Step(1);
    if (end == block.steps.end && !block.outlives) continue;
    const bool follows = std::ranges::any_of(
        block.tenants, [&](StayId other) { return problem.stays[other].steps.begin == end; });
    CHECK(follows);
  }
}

/// Each dispatch and each copy is told once, with its time, among events whose times do not fall; a
/// copy when the bytes that it fills are taken.
void checkDeviceEvents(const Run& run) {
  const EventList events(run);
  std::size_t dispatched = 0;
  std::size_t copies = 0;
  SimTime now;
  for (std::size_t seq = 0; seq < events.size(); ++seq) {
    const EventRow row = events.row(seq);
    CHECK(row.time >= now);
    now = row.time;
    dispatched += events.kind(seq) == EventList::Kind::dispatch ? 1 : 0;
    if (row.event == "op-start") {
      // Its sub-function was sent before.
      const std::size_t begun = static_cast<std::size_t>(std::ranges::count_if(
          run.partition.subFunctions,
          [&](const SubFunction& function) { return function.steps.begin <= *row.step; }));
      if (run.timing.activities.sequential()) CHECK(dispatched == begun);
    }
    if (events.kind(seq) != EventList::Kind::copyStart) continue;
    ++copies;
    const StayId to = events.stay(seq);
    const auto timing = std::ranges::find(run.timing.transfers, to, &TransferTiming::to);
    REQUIRE(timing != run.timing.transfers.end());
    CHECK(timing->time.begin == row.time);
    const Address& address = *run.plan.addresses[to];
    const MemoryState memory = run.trace.stateAfter(events.moment(seq));
    CHECK(std::ranges::any_of(memory[address.pool].chunks(address.region), [&](const Chunk& chunk) {
      return !chunk.isFree() && chunk.owner == to;
    }));
  }
  CHECK(dispatched == run.partition.subFunctions.size());
  CHECK(copies == run.partition.transfers.size());
}

/// Uses count down one by one to 0, and the block goes in the step in which its life ends.
void checkRecord(const Run& run) {
  REQUIRE_FALSE(run.plan.records.empty());
  const MethodRecord& record = run.plan.records.front();
  REQUIRE(record.name == "partition");
  std::map<std::string, std::int64_t> uses;
  std::map<std::string, Step> gone;
  for (std::size_t at = 0; at < record.ticks.size(); ++at) {
    for (const MethodChange& change : record.changesOf(at)) {
      if (!record.lists[change.list].name.starts_with("blocks ")) continue;
      const MethodRow& row = change.after.empty() ? change.before : change.after;
      const auto& name = std::get<std::string>(row[0]);
      const auto count = std::get<std::int64_t>(row[3]);
      if (change.before.empty()) {
        CHECK_FALSE(uses.contains(name));
      } else if (!change.after.empty()) {
        CHECK(count == uses[name] - 1);
      } else {
        CHECK(uses[name] == 0);
        gone[name] = record.ticks[at].step + Step(1);
      }
      uses[name] = count;
    }
  }
  CHECK(uses.size() == run.plan.blocks.size());
  for (const HeldBlock& block : run.plan.blocks) {
    INFO(block.name);
    CHECK(gone.contains(block.name) != block.outlives);
    if (!block.outlives) CHECK(gone[block.name] == block.steps.end);
  }
}

}  // namespace

TEST_CASE("what a block holds is kept, not free, until its unit is through",
          "[partition][blocks]") {
  const auto run = partitioned(heldGraph(), pair());
  const StayId a = receivedStay(*run, "a");
  REQUIRE(a);
  CHECK(run->problem.stays[a].steps == Interval<Step>{Step(1), Step(2)});
  const PoolId pool = run->plan.addresses[a]->pool;
  const Moment moment = momentAt(run->problem, run->plan, pool, Step(3));
  const Interval<Bytes> bytes{*run->plan.flatOffset(a), *run->plan.flatOffset(a) + Bytes(100)};
  CHECK(std::ranges::any_of(moment.kept, [&](const auto& kept) { return kept.bytes == bytes; }));
  CHECK(std::ranges::none_of(moment.holes,
                             [&](const auto& hole) { return hole.bytes.overlaps(bytes); }));
  CHECK(run->metrics.pools[pool].largestHole == Bytes());
  const auto freed = std::ranges::find_if(run->plan.story, [&](const MemoryEvent& event) {
    return event.kind == EventKind::free && event.stay == a;
  });
  REQUIRE(freed != run->plan.story.end());
  CHECK(freed->step == 4);
  checkStory(*run);
}

TEST_CASE("uses count down in words, and transfers come and go", "[partition][record]") {
  const auto run = partitioned(heldGraph(), pair(), true);
  checkRecord(*run);
  const MethodRecord& record = run->plan.records.front();
  std::vector<std::string> told;
  for (const MethodTick& tick : record.ticks) told.push_back(tick.what);
  const auto says = [&](const std::string& words) {
    return std::ranges::any_of(
        told, [&](const std::string& what) { return what.find(words) != std::string::npos; });
  };
  CHECK(says("sub-function 1 is dispatched to B: 4 operators"));
  CHECK(says("a: 2 → 1"));
  CHECK(says("a: 1 → 0"));
  CHECK(says("received a: 1 → 0"));
  CHECK(says("is copied from A to B"));
  CHECK(says("unit 1 is through"));
  const std::size_t transfers = test::listNamed(record, "transfers");
  MethodPlayer player(record);
  std::size_t most = 0;
  for (std::size_t tick = 0; tick <= record.ticks.size(); ++tick) {
    player.seek(tick);
    most = std::max(most, player.state()[transfers].size());
  }
  CHECK(most == 2);
  CHECK(player.state()[transfers].empty());
}

TEST_CASE("records of devices and of blocks speak of the run's own tensors",
          "[partition][record]") {
  const auto run = partitioned(heldGraph(), pair(), true);
  std::vector<std::string> names;
  for (const MethodRecord& record : run->plan.records) names.push_back(record.name);
  CHECK(std::ranges::count(names, "A: free-list") == 1);
  CHECK(std::ranges::count(names, "B: free-list") == 1);
  CHECK(std::ranges::count(names, "unit 1 (q, …): free-list") == 1);
  for (const MethodRecord& record : run->plan.records) {
    for (const MethodTick& tick : record.ticks) {
      CHECK((!tick.stay || run->problem.stays.contains(tick.stay)));
    }
  }
}

TEST_CASE("stories by blocks hold for random graphs on two devices",
          "[partition][blocks][property]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    Graph graph = test::randomGraph(seed, 4 + seed % 30);
    for (const bool dma : {false, true}) {
      // What begins with a concat or a reshape goes to A: there are many crossings.
      Platform platform = pair(dma);
      platform.devices[0].ops = {"Relu", "Concat", "Add"};
      platform.devices[0].units[0].ops = {"Concat"};
      const auto run = partitioned(graph, platform, true);
      CHECK(validate(run->problem, run->plan).empty());
      checkStory(*run);
      checkRecord(*run);
      checkDeviceEvents(*run);
    }
  }
}

TEST_CASE("views work inside a device, and copy where they cross", "[partition][views]") {
  Platform platform = pair();
  platform.devices[0].ops = {"Conv", "Concat"};
  // One unit makes a, the other joins it with b: c is a block of the unit that opens it.
  const auto joined = [&](const char* last) {
    return partitioned(
        test::drawnGraph({.tensors = {{"x", 4}, {"a", 8}, {"b", 8}, {"c", 16}, {"d", 4}, {"y", 4}},
                          .inputs = {"x"},
                          .ops = {"ca: Conv x -> a", "cb: Conv x -> b",
                                  "cat: Concat a, b -> c axis=1", "cd: Conv c -> d", last},
                          .outputs = {"y"}}),
        platform, true, {});
  };
  const auto inside = joined("add: Add d, d -> y");
  const auto& graph = inside->graph();
  const auto bufferOf = [](const Run& run, const char* name) {
    return run.storage.bufferOf(test::tensorOf(run.graph(), name));
  };
  CHECK(bufferOf(*inside, "a") == bufferOf(*inside, "c"));
  CHECK(bufferOf(*inside, "b") == bufferOf(*inside, "c"));
  CHECK(inside->storage.copies.empty());
  CHECK(graph.ops.size() == 5);
  for (const UnitBlock& block : inside->partition.blocks) {
    const Residence& first = inside->partition.residences[block.residences.front()];
    if (first.buffer != bufferOf(*inside, "c")) continue;
    // The units of the concat and of the convolution behind it.
    CHECK(block.executionUnit == 0);
    CHECK(block.useCount() == 2);
  }
  CHECK(replayBytes(*inside, Bytes(1 << 20)).empty());

  // B reads a, too: only a is copied into c.
  const auto crossing = joined("add: Add a, d -> y");
  CHECK(bufferOf(*crossing, "a") != bufferOf(*crossing, "c"));
  CHECK(bufferOf(*crossing, "b") == bufferOf(*crossing, "c"));
  REQUIRE(crossing->storage.copies.size() == 1);
  CHECK(crossing->storage.copies[0].reason == "it crosses from one device to another");
  CHECK(replayBytes(*crossing, Bytes(1 << 20)).empty());
}

TEST_CASE("what shares storage is on one device, and its bytes are right",
          "[partition][views][property]") {
  std::size_t shared = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Graph graph = test::randomGraph(seed, 4 + seed % 30);
    Platform platform = pair(seed % 2 == 0);
    platform.devices[0].ops = {"Relu", "Concat", "Split", "Reshape", "Flatten", "Identity"};
    platform.devices[0].units[0].ops = {"Concat", "Reshape"};
    const auto run = partitioned(graph, platform, true, AliasRules::all());
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(replayBytes(*run, Bytes(1 << 20)).empty());
    // A file does not say which device runs an op, but its pools say who is where.
    std::ostringstream file;
    writePlanJson(*run, file);
    const Audit audit = auditPlan(run->model, readPlan(file.str()).value(), {});
    CHECK(audit.findings.empty());
    REQUIRE(audit.run);
    CHECK(replayBytes(*audit.run, Bytes(1 << 20)).empty());
    checkStory(*run);
    checkRecord(*run);
    checkDeviceEvents(*run);
    for (const Buffer& buffer : run->storage.buffers) {
      std::set<DeviceIndex> devices;
      for (const TensorId id : buffer.tensors) {
        const Tensor& tensor = run->graph().tensors[id];
        if (tensor.producer) devices.insert(run->partition.deviceOf[tensor.producer]);
        for (const OpId op : tensor.consumers) devices.insert(run->partition.deviceOf[op]);
      }
      if (buffer.tensors.size() < 2) continue;
      ++shared;
      CHECK(devices.size() == 1);
    }
  }
  CHECK(shared > 0);
}

TEST_CASE("dispatch and copies stand in the event log with the machine's times",
          "[partition][events]") {
  for (const bool dma : {false, true}) {
    CAPTURE(dma);
    const auto run = partitioned(heldGraph(), pair(dma));
    checkDeviceEvents(*run);
    const EventList events(*run);
    std::vector<std::string> told;
    for (std::size_t seq = 0; seq < events.size(); ++seq) {
      const EventRow row = events.row(seq);
      if (events.kind(seq) == EventList::Kind::dispatch || events.isCopy(seq)) {
        told.push_back(std::string(row.event) + " " + row.tensor);
      }
      if (row.event == "dispatch" && row.tensor == "sub-function 1") {
        CHECK(row.detail == "to B: 4 operators, steps 1–4");
      }
      if (row.event == "copy-start") CHECK(row.detail == "from A/L2");
    }
    const std::vector<std::string> inOrder = {"dispatch sub-function 0",
                                              "dispatch sub-function 1",
                                              "copy-start a",
                                              "copy-end a",
                                              "copy-start p",
                                              "copy-end p"};
    CHECK(std::is_permutation(told.begin(), told.end(), inOrder.begin(), inOrder.end()));
    if (!dma) CHECK(told == inOrder);
  }
}

TEST_CASE("reasons of the allocator of blocks stand in the log", "[partition][blocks]") {
  const auto run = partitioned(heldGraph(), pair());
  for (const MemoryEvent& event : run->plan.story) {
    if (event.kind == EventKind::alloc) CHECK(event.reason != Reason::planned);
  }
}

TEST_CASE("what a platform keeps of a memory is told", "[run][reserved]") {
  RunRequest request = test::requestOn(*findPlatform("esp32-s3"), "free-list");
  const auto run = test::mustRun(test::sample("ds_cnn"), request);
  const PoolSpec& spec = request.platform.devices[0].pools[0];
  REQUIRE(spec.reserved > Bytes());
  CHECK(reservedBytes(*run, PoolId(0)) == spec.reserved);
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(1 << 20)};
  CHECK(reservedBytes(*test::mustRun(test::sample("ds_cnn"), request), PoolId(0)) == Bytes());
}
