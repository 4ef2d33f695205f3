// Simulated beside measured: a profile that a small machine of its own wrote is met byte for byte,
// and every way to differ from it is told.

#include "core/insight/measured_diff.h"

#include <algorithm>
#include <map>

#include "core/insight/runtime_plan.h"
#include "core/report/compare/measured_report.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

/// What the machine does beside what is asked of it.
struct MachineHabits {
  bool keepsUnread = false;
  std::map<OpId, std::int64_t> leaks{};  ///< Takes that many bytes more there, and keeps them.
};

/// Runs a graph operator by operator, in any order that its data allow, and counts bytes: each
/// tensor has its own, until whoever reads it last is done. Shares nothing with the simulation.
class CountingMachine {
 public:
  CountingMachine(const Graph& graph, MachineHabits habits)
      : graph_(graph), habits_(std::move(habits)) {
    for (const Tensor& tensor : graph.tensors) readers_.push_back(tensor.consumers.size());
  }

  OperatorProfile run(std::uint64_t seed) {
    test::Dice dice(seed);
    OperatorProfile profile{.runs = 1};
    std::vector<bool> done(graph_.ops.size());
    for (std::size_t count = 0; count < done.size(); ++count) {
      std::vector<OpId> ready;
      for (const OpId id : graph_.ops.keys()) {
        if (!done[id.index()] && canRun(id, done)) ready.push_back(id);
      }
      const OpId next = ready[static_cast<std::size_t>(
          dice.roll(0, static_cast<std::int64_t>(ready.size()) - 1))];
      done[next.index()] = true;
      if (!graph_.ops[next].folded) profile.ops.push_back(ran(next));
    }
    return profile;
  }

 private:
  bool canRun(OpId id, const std::vector<bool>& done) const {
    return std::ranges::all_of(graph_.reads(id), [&](TensorId in) {
      const OpId producer = graph_.tensors[in].producer;
      return !producer || done[producer.index()];
    });
  }

  std::int64_t sizeOf(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    return tensor.constant || !tensor.producer ? 0 : tensor.bytes->count();
  }

  MeasuredOperator ran(OpId id) {
    const Op& op = graph_.ops[id];
    MeasuredOperator event{.name = op.name, .type = op.type};
    event.index = static_cast<std::int64_t>(id.index());
    event.before = Bytes(kStanding + now_);
    std::int64_t written = 0;
    for (const TensorId out : op.outputs) written += out ? sizeOf(out) : 0;
    now_ += written;
    if (const auto leak = habits_.leaks.find(id); leak != habits_.leaks.end()) now_ += leak->second;
    event.outputs = Bytes(written);
    event.after = Bytes(kStanding + now_);
    for (const TensorId in : graph_.reads(id)) {
      if (--readers_[in.index()] == 0 && !graph_.tensors[in].graphOutput) now_ -= sizeOf(in);
    }
    for (const TensorId out : op.outputs) {
      if (!out || graph_.tensors[out].graphOutput || habits_.keepsUnread) continue;
      if (graph_.tensors[out].consumers.empty()) now_ -= sizeOf(out);
    }
    return event;
  }

  static constexpr std::int64_t kStanding = 1000;
  const Graph& graph_;
  MachineHabits habits_;
  std::vector<std::size_t> readers_;
  std::int64_t now_ = 0;
};

std::shared_ptr<const Run> asMeasured(const std::shared_ptr<const Model>& model,
                                      const OperatorProfile& profile, AliasRules alias) {
  RunRequest request = planningRequest();
  request.allocator = *AllocatorChoice::parse("greedy-by-size");
  request.alignment = Bytes(1);
  request.alias = alias;
  request.inputs = InputPlace::external;
  const auto asked = test::must(measuredRequest(*model->graph, profile, request));
  return test::must(execute(model, asked, {}));
}

MeasuredOperator kernel(const std::string& name, const std::string& type, std::int64_t before,
                        std::int64_t after, std::int64_t output) {
  MeasuredOperator op{.name = name, .type = type};
  op.before = Bytes(before);
  op.after = Bytes(after);
  op.outputs = Bytes(output);
  return op;
}

const MeasuredRow& rowOf(const MeasuredDiff& diff, const std::string& op) {
  const auto found = std::ranges::find(diff.rows, op, &MeasuredRow::op);
  if (found == diff.rows.end()) FAIL("no row " + op);
  return *found;
}

/// x -> a -> b -> c -> y, each 8 bytes but y.
Graph lineGraph() {
  return test::drawnGraph({.tensors = {{"x", 8}, {"a", 8}, {"b", 8}, {"c", 8}, {"y", 4}},
                           .inputs = {"x"},
                           .ops = {"first: Conv x -> a", "second: Relu a -> b",
                                   "third: Conv b -> c", "last: Conv c -> y"},
                           .outputs = {"y"}});
}

TEST_CASE("random graphs take what a machine counts, in any order", "[insight][measured]") {
  for (std::uint64_t round = 0; round < test::rounds(200); ++round) {
    INFO("seed " << round);
    const auto model = test::modelOf(test::randomGraph(round, 30));
    const Graph& graph = *model->graph;
    const OperatorProfile profile = CountingMachine(graph, {}).run(round + 1);
    if (profile.ops.empty()) continue;
    const auto run = asMeasured(model, profile, AliasRules::none());
    const MeasuredDiff diff = diffMeasured(*run, profile);
    CHECK(diff.matched == profile.ops.size());
    CHECK(diff.equal());
    CHECK(diff.simulatedPeak == diff.measuredPeak);
    CHECK(diff.standing == Bytes(1000));
    for (const MeasuredRow& row : diff.rows) CHECK((!row.event || row.reason == MeasuredReason{}));

    const OperatorProfile keeping = CountingMachine(graph, {.keepsUnread = true}).run(round + 1);
    const MeasuredDiff kept = diffMeasured(*run, keeping);
    for (const std::size_t at : kept.largestFirst()) {
      CHECK(kept.rows[at].reason == MeasuredReason::unread);
    }
  }
}

TEST_CASE("what one operator takes too much is told of it alone", "[insight][measured]") {
  for (std::uint64_t round = 0; round < test::rounds(100); ++round) {
    INFO("seed " << round);
    const auto model = test::modelOf(test::randomGraph(round, 25));
    const Graph& graph = *model->graph;
    std::vector<OpId> running;
    for (const OpId id : graph.ops.keys()) {
      if (!graph.ops[id].folded) running.push_back(id);
    }
    if (running.empty()) continue;
    const OpId culprit = running[round % running.size()];
    const OperatorProfile profile =
        CountingMachine(graph, {.leaks = {{culprit, 77}}}).run(round + 1);
    const auto run = asMeasured(model, profile, AliasRules::none());
    const MeasuredDiff diff = diffMeasured(*run, profile);
    const auto order = diff.largestFirst();
    REQUIRE(order.size() == 1);
    const MeasuredRow& row = diff.rows[order.front()];
    CHECK(row.step == run->schedule.stepOf[culprit]);
    CHECK(row.takes == 77);
    CHECK(row.reason == MeasuredReason::scratch);
  }
}

TEST_CASE("an order that was measured is kept", "[insight][measured]") {
  for (std::uint64_t round = 0; round < test::rounds(100); ++round) {
    INFO("seed " << round);
    const auto model = test::modelOf(test::randomGraph(round, 20));
    const OperatorProfile profile = CountingMachine(*model->graph, {}).run(round + 7);
    if (profile.ops.empty()) continue;
    const auto matched = matchOperators(*model->graph, profile);
    const auto run = asMeasured(model, profile, AliasRules::none());
    Step before(-1);
    for (const OpId id : matched) {
      REQUIRE(id);
      CHECK(run->schedule.stepOf[id] > before);
      before = run->schedule.stepOf[id];
    }
  }
}

TEST_CASE("bytes that change hands are told with whose they were", "[insight][measured]") {
  const auto model = test::modelOf(lineGraph());
  OperatorProfile profile{.runs = 1};
  SECTION("written over an input") {
    profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("second", "Relu", 8, 8, 8),
                   kernel("third", "Conv", 8, 16, 8), kernel("last", "Conv", 8, 12, 4)};
    const auto run = asMeasured(model, profile, AliasRules::none());
    const MeasuredDiff diff = diffMeasured(*run, profile);
    CHECK(rowOf(diff, "second").reason == MeasuredReason::inPlace);
    CHECK(rowOf(diff, "second").takes == -8);
    CHECK(diff.largestFirst().size() == 1);
    // The other way round.
    const auto shared = asMeasured(model, profile, AliasRules::all());
    CHECK(diffMeasured(*shared, profile).equal());
  }
  SECTION("not written over it, simulated so") {
    profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("second", "Relu", 8, 16, 8),
                   kernel("third", "Conv", 8, 16, 8), kernel("last", "Conv", 8, 12, 4)};
    const auto run = asMeasured(model, profile, AliasRules::all());
    const MeasuredDiff diff = diffMeasured(*run, profile);
    CHECK(rowOf(diff, "second").reason == MeasuredReason::copied);
    CHECK(diffMeasured(*asMeasured(model, profile, AliasRules::none()), profile).equal());
  }
  SECTION("kept for a later one") {
    profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("second", "Relu", 8, 16, 8),
                   kernel("third", "Conv", 16, 16, 8), kernel("last", "Conv", 8, 12, 4)};
    const auto run = asMeasured(model, profile, AliasRules::none());
    const MeasuredDiff diff = diffMeasured(*run, profile);
    CHECK(rowOf(diff, "second").reason == MeasuredReason::kept);
    CHECK(rowOf(diff, "second").with == "third");
    CHECK(rowOf(diff, "third").reason == MeasuredReason::takesOver);
    CHECK(rowOf(diff, "third").with == "second");
    CHECK(reasonSums(diff).size() == 2);
  }
  SECTION("kept and taken over at once, by what is never written over an input") {
    profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("second", "Relu", 8, 16, 8),
                   kernel("third", "Conv", 16, 16, 8), kernel("last", "Conv", 16, 16, 4)};
    const MeasuredDiff diff =
        diffMeasured(*asMeasured(model, profile, AliasRules::none()), profile);
    CHECK(rowOf(diff, "third").reason == MeasuredReason::takesOver);
    CHECK(rowOf(diff, "third").with == "second");
    CHECK(rowOf(diff, "third").keeps == 8);
  }
  SECTION("given back later") {
    profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("second", "Relu", 8, 16, 8),
                   kernel("third", "Conv", 16, 24, 8), kernel("last", "Conv", 8, 12, 4)};
    const MeasuredDiff diff =
        diffMeasured(*asMeasured(model, profile, AliasRules::none()), profile);
    CHECK(rowOf(diff, "second").reason == MeasuredReason::keptLonger);
    CHECK(rowOf(diff, "second").with == "third");
  }
}

TEST_CASE("operators that only one side has are told", "[insight][measured]") {
  const auto model = test::modelOf(lineGraph());
  OperatorProfile profile{.runs = 1};
  profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("put in", "Cast", 8, 24, 16),
                 kernel("third", "Conv", 8, 16, 8), kernel("last", "Conv", 8, 12, 4)};
  const MeasuredDiff diff = diffMeasured(*asMeasured(model, profile, AliasRules::none()), profile);
  CHECK(diff.matched == 3);
  CHECK(rowOf(diff, "second").reason == MeasuredReason::eliminated);
  CHECK_FALSE(rowOf(diff, "second").event);
  CHECK(rowOf(diff, "put in").reason == MeasuredReason::inserted);
  CHECK_FALSE(rowOf(diff, "put in").step);
  REQUIRE(diff.notes.size() == 2);
  CHECK_THAT(diff.notes[0], Catch::Contains("1 operators of the model did not run"));
}

TEST_CASE("numbers say who is meant where names do not", "[insight][measured]") {
  Graph graph = lineGraph();
  for (Op& op : graph.ops) op.name.clear();
  OperatorProfile profile{.runs = 1};
  for (const auto& [index, type] : {std::pair(0, "Conv"), std::pair(1, "Relu")}) {
    profile.ops.push_back(kernel(std::string(type) + "_", type, 0, 0, 0));
    profile.ops.back().index = index;
  }
  CHECK(matchOperators(graph, profile) == std::vector{OpId(0), OpId(1)});
  profile.ops[1].type = "Sigmoid";  // Another graph's numbers.
  CHECK(matchOperators(graph, profile) == std::vector{OpId(), OpId()});
  // A number in the place of the name, and the name that one without is shown with.
  OperatorProfile told;
  told.ops = {{.name = "1", .index = 1}, {.name = "Conv_0"}, {.name = "7", .index = 7}};
  CHECK(matchOperators(graph, told) == std::vector{OpId(1), OpId(0), OpId()});
  CHECK(test::mustFail(measuredRequest(graph, profile, planningRequest())).message ==
        "none of the 2 operators that were measured is in the model");
}

TEST_CASE("temporaries, sizes and profiles without memory are told", "[insight][measured]") {
  const auto model = test::modelOf(lineGraph());
  OperatorProfile profile{.runs = 1};
  profile.ops = {kernel("first", "Conv", 0, 8, 8), kernel("second", "Relu", 8, 16, 8),
                 kernel("third", "Conv", 8, 16, 8), kernel("last", "Conv", 8, 12, 4)};
  for (MeasuredOperator& op : profile.ops) {
    op.inUse = Bytes(256);
    op.peak = Bytes(256);
  }
  profile.ops[2].peak = profile.ops[3].peak = Bytes(4352);
  const auto run = asMeasured(model, profile, AliasRules::none());
  MeasuredReport report{.run = run, .profile = "p.json", .diff = diffMeasured(*run, profile)};
  CHECK(report.diff.equal());
  CHECK(rowOf(report.diff, "third").reason == MeasuredReason::temporaries);
  CHECK(rowOf(report.diff, "third").temporaries == Bytes(4096));
  CHECK(rowOf(report.diff, "first").rounding == Bytes(248));
  CHECK(measuredSummary(report.diff) == "most live at once: 16 B, simulated and measured");
  const Json json = measuredJson(report);
  CHECK(json["differences"].size() == 1);
  CHECK(json["steps"][1]["measured_live"] == 16);
  CHECK(measuredScene(report).others.front()->peak()->value == Bytes(16));
  CHECK_THAT(measuredCsv(report), Catch::Contains("2,third,Conv,8,8,16,16,,,4096,240,0,temporar"));
  CHECK_THAT(measuredText(report, {}), Catch::Contains("operators that differ, largest first (1)"));

  for (MeasuredOperator& op : profile.ops) op.before = op.after = op.peak = op.inUse = {};
  profile.ops[1].outputs = Bytes(80);
  const MeasuredDiff sizes = diffMeasured(*run, profile);
  CHECK_FALSE(sizes.memory);
  CHECK(rowOf(sizes, "second").reason == MeasuredReason::otherSize);
  CHECK(rowOf(sizes, "second").takes == 72);
  CHECK(sizes.largestFirst().size() == 1);
}

TEST_CASE("runtimes keep what is handed out apart, and reshape for nothing",
          "[insight][measured]") {
  // y is b, reshaped; z is what of x is outside; u is read by nobody.
  const auto model = test::modelOf(test::drawnGraph(
      {.tensors = {{"x", 8}, {"z", 8}, {"b", 8}, {"u", 4}, {"y", 8}, {"w", 2}},
       .inputs = {"x"},
       .ops = {"Reshape x -> z", "Split z -> b, u", "Reshape b -> y", "Conv z -> w"},
       .outputs = {"y", "w"}}));
  const Graph& graph = *model->graph;
  const Schedule schedule = givenOrder(graph);
  const RuntimeShapes unknown(graph.tensors.size());
  const RuntimePlan plan = planAsRuntime({graph, schedule, unknown});
  const StepFunction live = liveBytes(plan.blocks, schedule.steps());
  CHECK(live.at(Step(0)) == Bytes(0));
  CHECK(live.at(Step(1)) == Bytes(12));
  CHECK(live.at(Step(2)) == Bytes(20));
  CHECK(live.at(Step(3)) == Bytes(14));
}

}  // namespace
}  // namespace hw
