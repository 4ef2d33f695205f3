#include <fmt/format.h>

#include <algorithm>

#include "core/check/replay.h"
#include "core/insight/explain.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/plan/audit.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/residency/moving_devices.h"
#include "core/sim/cost_model.h"
#include "tests/support/clusters.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

AliasRules aliasOf(std::uint64_t seed) {
  return {seed % 2 == 0, seed % 3 != 0, seed % 5 != 0, seed % 7 < 3};
}

std::shared_ptr<const Run> moved(const Graph& graph, ResidencyRule rule, std::int64_t l2,
                                 test::RunOptions options = {}) {
  options.residency = rule;
  options.l2 = l2;
  return test::runGraph(graph, options);
}

using test::clusters;
using test::faultOf;
using test::firstOf;

std::shared_ptr<const Run> spread(const Graph& graph, const Platform& platform, ResidencyRule rule,
                                  const std::string& allocator) {
  return test::spreadRun(graph, platform, allocator,
                         [&](RunRequest& request) { request.residency = rule; });
}

Graph threeInARow() {
  return test::drawnGraph({.tensors = {{"x", 16}, {"a", 16}, {"y", 16}},
                           .inputs = {"x"},
                           .ops = {"Relu x -> a", "Relu a -> y"},
                           .outputs = {"y"}});
}

}  // namespace

// 12 bytes of x, 32 of a, 16 of b, 32 of c, 32 of d, 1 of y; a is read again by the op that reads
// c.
TEST_CASE("a buffer comes, goes and comes back", "[residency]") {
  const auto run = moved(test::residualGraph(), ResidencyRule::lru, 64);
  const Problem& problem = run->problem;
  std::string text;
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    text += fmt::format("{} {} [{},{})\n", run->stayName(id), problem.pools[stay.pool].name,
                        stay.steps.begin.count(), stay.steps.end.count());
  }
  CHECK(text ==
        "x L2 [0,1)\nx L3 [0,1)\na L2 [0,2)\na L3 [1,4)\nb L2 [1,3)\nc L2 [2,4)\n"
        "d L2 [3,5)\ny L2 [4,5)\ny L3 [4,5)\n");
  text.clear();
  for (const Move& move : problem.moves) {
    text += fmt::format("{} {}>{} at {}\n", run->stayName(move.from),
                        problem.pools[problem.stays[move.from].pool].name,
                        problem.pools[problem.stays[move.to].pool].name, move.step.count());
  }
  CHECK(text == "x L3>L2 at 0\na L2>L3 at 1\ny L2>L3 at 4\n");
}

TEST_CASE("every rule gives plans that replay byte by byte, whoever gives addresses",
          "[residency][property]") {
  int moves = 0;
  for (const char* allocator : {"greedy-by-size", "free-list", "two-sided", "block-id", "none"}) {
    for (const std::uint64_t seed : test::Seeds(30)) {
      const Graph graph = test::randomGraph(seed, 30);
      const auto l2 = test::Dice(seed).roll(0, 300);
      for (const ResidencyInfo& info : residencyCatalog()) {
        CAPTURE(allocator, seed, l2, info.name);
        const auto run =
            moved(graph, info.rule, l2, {.allocator = allocator, .alias = aliasOf(seed)});
        REQUIRE(run->plan.status == PlanStatus::complete);
        REQUIRE(run->plan.footprint(PoolId(0)) <= Bytes(l2));
        REQUIRE(firstOf(validate(run->problem, run->plan)) == "");
        REQUIRE(firstOf(replayBytes(*run, seed % 2 == 0 ? 0_B : Bytes(1 << 20))) == "");
        moves += static_cast<int>(run->problem.moves.size());
      }
    }
  }
  CHECK(moves > 500);
}

TEST_CASE("three memories in a row are served level by level", "[residency][property]") {
  int fromTheEnd = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Graph graph = test::randomGraph(seed, 30);
    for (const ResidencyInfo& info : residencyCatalog()) {
      CAPTURE(info.name);
      const auto run = moved(graph, info.rule, 100, {.alias = aliasOf(seed), .middle = 200});
      REQUIRE(run->problem.pools.size() == 3);
      REQUIRE(firstOf(validate(run->problem, run->plan)) == "");
      REQUIRE(firstOf(replayBytes(*run, Bytes(1 << 20))) == "");
      REQUIRE(run->plan.footprint(PoolId(0)) <= 100_B);
      REQUIRE(run->plan.footprint(PoolId(1)) <= 200_B);
      for (const Move& move : run->problem.moves) {
        // From nowhere: from the furthest, where it has no address.
        const bool last = !move.from || run->problem.stays[move.from].pool == PoolId(2);
        fromTheEnd += last ? 1 : 0;
      }
    }
  }
  CHECK(fromTheEnd > 20);
}

TEST_CASE("a move that is missing or comes too early is noticed, twice", "[residency][mutation]") {
  int broken = 0;
  for (const std::uint64_t seed : test::Seeds(20)) {
    const auto good = moved(test::randomGraph(seed, 25), ResidencyRule::lru, 150);
    for (std::size_t at = 0; at < good->problem.moves.size(); ++at) {
      CAPTURE(at);
      Run run = *good;
      // A stay that nothing opens at the start is there from the start.
      if (run.problem.moves[at].step == Step()) continue;
      run.problem.moves.erase(run.problem.moves.begin() + static_cast<std::ptrdiff_t>(at));
      // Without any the replay takes all places of a buffer for equal.
      if (run.problem.moves.empty()) continue;
      CHECK(firstOf(auditMoves(run.problem, 5)) != "");
      CHECK(firstOf(replayBytes(run, Bytes(1 << 20))) != "");
      ++broken;
    }
  }
  CHECK(broken > test::atLeast(100));
}

TEST_CASE("moves that make no sense are named", "[residency]") {
  const auto good = moved(test::residualGraph(), ResidencyRule::lru, 64);
  const auto told = [&](const Move& move) {
    Problem problem = good->problem;
    problem.moves.insert(problem.moves.begin(), move);
    return firstOf(validate(problem, good->plan));
  };
  CHECK(told({BufferId(0), StayId(0), StayId(0), Step(0)}) ==
        "the move of buffer 0 at step 0 is from a stay to itself");
  CHECK(told({BufferId(0), StayId(0), StayId(99), Step(0)}) ==
        "the move of buffer 0 at step 0 is of a stay that is not there");
  CHECK(told({BufferId(0), StayId(0), StayId(2), Step(0)}) ==
        "the move of buffer 0 at step 0 is of a stay of another buffer");
  CHECK(told({BufferId(0), StayId(1), StayId(0), Step(3)}) ==
        "the move of buffer 0 at step 3 is of a stay that is not live then");
  CHECK(told({BufferId(0), StayId(), StayId(), Step(0)}) ==
        "the move of buffer 0 at step 0 is from nowhere to nowhere");
}

TEST_CASE("the buffers of a planning problem stay where they are, and that is said",
          "[residency]") {
  const auto run = test::runProblem(test::problemOf({{10, 0, 2}, {10, 1, 3}}),
                                    {.l2 = 10, .l3 = 100, .residency = ResidencyRule::lru});
  CHECK(run->problem.moves.empty());
  REQUIRE(run->notes.size() == 1);
  CHECK(run->notes[0].starts_with("every buffer stays where it is"));
}

// x is in both memories while it is loaded: 48 bytes with a. Nobody has to load it.
TEST_CASE("what is in two memories is no proof that nothing fits", "[autopsy][residency]") {
  const auto run =
      test::runGraph(threeInARow(), {.l2 = 32, .l3 = 15, .residency = ResidencyRule::lru});
  CHECK(lowerBound(run->problem) == 48_B);
  CHECK(leastLive(run->problem) == 32_B);
  const auto found = test::must(autopsy(run->problem, run->plan));
  CHECK(found.cause != Autopsy::Cause::impossible);
  CHECK(found.lowerBound == 32_B);
  CHECK(run->problem.poolOf(found.stay) == PoolId(1));
  const auto still = test::runGraph(threeInARow(), {.l2 = 32, .l3 = 15});
  CHECK_FALSE(autopsy(still->problem, still->plan));
}

TEST_CASE("however buffers move, the least that is live is that of whole lives",
          "[autopsy][residency][property]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Graph graph = test::randomGraph(seed, 25);
    const auto whole = test::runGraph(graph, {});
    for (const ResidencyInfo& info : residencyCatalog()) {
      const auto run = test::runGraph(graph, {.l2 = 120, .residency = info.rule});
      CAPTURE(info.name);
      CHECK(leastLive(run->problem) <= whole->metrics.lowerBound);
      if (run->problem.moves.empty()) continue;
      CHECK(leastLive(run->problem) <= lowerBound(run->problem));
    }
  }
}

TEST_CASE("every stay of a buffer that moves is explained", "[explain][residency]") {
  const auto run =
      test::runGraph(test::residualGraph(), {.l2 = 64, .residency = ResidencyRule::lru});
  std::vector<std::string> why;
  for (const StayId id : run->problem.stays.keys()) {
    if (run->stayName(id) == "a") why.push_back(explainPlace(*run, id).residency);
  }
  CHECK(why == std::vector<std::string>{"its own op writes it there, goes to L3 at step 1",
                                        "it comes from L2 at step 1"});
}

// Conv is A's, the rest B's. Both L2 hold 64 bytes: a, c and d do not fit together, so c is read in
// place.
TEST_CASE("what one device makes and another reads goes through the memory of both",
          "[residency][partition]") {
  const Graph graph = test::drawnGraph(
      {.tensors = {{"x", 12}, {"a", 32}, {"b", 16}, {"c", 32}, {"d", 32}, {"y", 1}},
       .inputs = {"x"},
       .ops = {"Conv x -> a", "Conv a -> b", "Conv b -> c", "Add a, c -> d", "Gemm d -> y"},
       .outputs = {"y"}});
  const auto run = spread(graph, clusters(0, 64, "parallel"), ResidencyRule::lru, "greedy-by-size");
  CHECK(run->notes ==
        std::vector<std::string>{"views are off: over several devices every buffer is one tensor"});
  CHECK(run->partition.transfers.empty());
  std::string text;
  for (const Move& move : run->problem.moves) {
    const auto poolOf = [&](StayId id) {
      return run->problem.pools[run->problem.stays[id].pool].name;
    };
    text += fmt::format("{} {}>{} at {}\n", run->stayName(move.from), poolOf(move.from),
                        poolOf(move.to), move.step.count());
  }
  CHECK(text == "x L3>A/L2 at 0\na A/L2>L3 at 1\nc A/L2>L3 at 2\na L3>B/L2 at 3\ny B/L2>L3 at 4\n");
  CHECK(faultOf(*run) == "");
}

TEST_CASE("every rule moves buffers on every device, whoever gives addresses",
          "[residency][partition][property]") {
  std::size_t moves = 0;
  std::size_t shared = 0;
  for (const char* allocator :
       {"greedy-by-size", "free-list", "two-sided", "block-id", "idle-longest", "best"}) {
    for (const std::uint64_t seed : test::Seeds(12)) {
      test::Dice dice(seed);
      const Graph graph = test::randomGraph(seed, 25);
      const Platform platform = clusters(seed % 3 == 0 ? dice.roll(0, 150) : 0, dice.roll(0, 400),
                                         seed % 2 == 0 ? "parallel" : "in-order");
      for (const ResidencyInfo& info : residencyCatalog()) {
        CAPTURE(allocator, seed, info.name);
        const auto run = spread(graph, platform, info.rule, allocator);
        REQUIRE(faultOf(*run) == "");
        for (const PoolId pool : run->problem.pools.keys()) {
          const auto& capacity = run->problem.pools[pool].capacity;
          if (capacity) REQUIRE(run->plan.footprint(pool) <= *capacity);
        }
        moves += run->problem.moves.size();
        if (!run->partition.blocks.empty()) continue;  // Whole lives, perhaps as the best.
        REQUIRE(run->partition.transfers.empty());
        const auto isCopy = [](const Activity& activity) {
          return activity.kind == ActivityKind::copy;
        };
        REQUIRE(std::ranges::none_of(run->timing.activities.activities, isCopy));
        shared += run->problem.moves.empty() ? 0 : 1;
      }
    }
  }
  CHECK(moves > test::rounds(1000));
  CHECK(shared > test::rounds(200));
}

TEST_CASE("three memories in a row take every rule and every allocator",
          "[residency][machine][property]") {
  std::size_t inTheMiddle = 0;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (info.way != Way::direct) continue;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Platform platform = clusters(60 + 40 * static_cast<std::int64_t>(seed), 300, "parallel");
      platform.devices.resize(1);
      platform.devices[0].ops = {"*"};
      platform.contention = static_cast<Contention>(seed % 3);
      auto model = std::make_shared<Model>();
      model->graph = std::make_shared<const Graph>(test::randomGraph(seed, 16));
      RunRequest request{.allocator = AllocatorChoice::parse(std::string(info.name)).value(),
                         .platform = platform,
                         .alignment = 1_B};
      for (const ResidencyInfo& rule : residencyCatalog()) {
        CAPTURE(info.name, seed, rule.name);
        request.residency = rule.rule;
        request.weights.rule = seed % 2 == 0 ? WeightRule::prefetch : WeightRule::stream;
        const auto run = execute(model, request, {}).value();
        REQUIRE(run->problem.pools.size() == 3);
        REQUIRE(faultOf(*run) == "");
        for (const Move& move : run->problem.moves) {
          inTheMiddle += move.from && run->problem.poolOf(move.from) == PoolId(1) ? 1 : 0;
        }
      }
    }
  }
  CHECK(inTheMiddle > 100);
}

TEST_CASE("the best rule on several devices is as fast as the fastest", "[residency][partition]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Graph graph = test::randomGraph(seed, 25);
    const Platform platform = clusters(0, 200, "parallel");
    SimTime fastest = kMaxTime;
    for (const ResidencyInfo& info : residencyCatalog()) {
      if (info.rule == ResidencyRule::best || info.rule == ResidencyRule::exact) continue;
      fastest =
          std::min(fastest, spread(graph, platform, info.rule, "greedy-by-size")->timing.makespan);
    }
    CAPTURE(seed);
    CHECK(spread(graph, platform, ResidencyRule::best, "greedy-by-size")->timing.makespan ==
          fastest);
  }
}

// Each has an L3 of its own. What crosses is stored, copied from L3 to L3, and loaded.
TEST_CASE("what goes to a device with a far memory of its own is copied there",
          "[residency][partition]") {
  const Graph graph = test::drawnGraph({.tensors = {{"x", 12}, {"a", 32}, {"b", 16}, {"y", 1}},
                                        .inputs = {"x"},
                                        .ops = {"Conv x -> a", "Gemm a -> b", "Add b, x -> y"},
                                        .outputs = {"y"}});
  const Platform platform = parsePlatform(R"(name = "apart"
[[device]]
name = "A"
ops = ["Conv"]
pool = [{name = "L2", bandwidth = "4GB/s"},
        {name = "L3", bandwidth = "1GB/s"}]
unit = [{name = "unit", ops = ["*"], clock = "1GHz"}]
[[device]]
name = "B"
ops = ["*"]
pool = [{name = "L2", bandwidth = "4GB/s"},
        {name = "L3", bandwidth = "1GB/s"}]
dma = [{name = "dma", moves = ["A.L3>L3", "L3>L2", "L2>L3"]}]
unit = [{name = "unit", ops = ["*"], clock = "1GHz"}]
)")
                                .value();
  const auto run = test::spreadRun(graph, platform, "greedy-by-size", [](RunRequest& request) {
    request.residency = ResidencyRule::lru;
  });
  std::string text;
  for (const ActivityId id : run->timing.activities.activities.keys()) {
    const Activity& activity = run->timing.activities.activities[id];
    if (activity.kind == ActivityKind::compute) continue;
    const auto poolOf = [&](StayId stay) {
      return run->problem.pools[run->problem.stays[stay].pool].name;
    };
    text += fmt::format("{}{} {}>{} at {}\n", activity.kind == ActivityKind::copy ? "copy " : "",
                        run->stayName(activity.from), poolOf(activity.from), poolOf(activity.to),
                        activity.step.count());
  }
  CHECK(text ==
        "x A/L3>A/L2 at 0\na A/L2>A/L3 at 0\ncopy a A/L3>B/L3 at 1\na B/L3>B/L2 at 1\n"
        "x B/L3>B/L2 at 2\ny B/L2>B/L3 at 2\n");
  CHECK(test::faultOf(*run) == "");
}

// A/L3 is the third memory of its device, B/L3 the second: a copy from one to the other is no
// store.
TEST_CASE("devices with different numbers of memories copy before the op of a step",
          "[residency][partition]") {
  const auto device = [](const char* name, const char* ops, const std::vector<std::string>& pools) {
    std::string text = fmt::format("[[device]]\nname = \"{}\"\nops = [\"{}\"]\n", name, ops);
    for (const std::string& pool : pools) {
      text += fmt::format("[[device.pool]]\nname = \"{}\"\nbandwidth = \"1GB/s\"\n", pool);
    }
    return text + "[[device.unit]]\nname = \"unit\"\nops = [\"*\"]\nclock = \"1GHz\"\n";
  };
  const auto platform =
      test::must(parsePlatform("name = \"depths\"\n" + device("A", "Conv", {"L1", "L2", "L3"}) +
                               device("B", "*", {"L2", "L3"})));
  const Graph graph = test::drawnGraph({.tensors = {{"x", 12}, {"a", 32}, {"b", 16}, {"y", 1}},
                                        .inputs = {"x"},
                                        .ops = {"Gemm x -> a", "Conv a -> b", "Add b, x -> y"},
                                        .outputs = {"y"}});
  for (const ResidencyInfo& info : residencyCatalog()) {
    CAPTURE(info.name);
    CHECK(faultOf(*spread(graph, platform, info.rule, "greedy-by-size")) == "");
  }
}

TEST_CASE("every rule moves buffers between devices whose far memories are apart",
          "[residency][partition][property]") {
  std::size_t copies = 0;
  for (const char* allocator : {"greedy-by-size", "free-list", "idle-longest"}) {
    for (const std::uint64_t seed : test::Seeds(20)) {
      test::Dice dice(seed);
      Platform platform = findPlatform("two-devices").value();
      for (DeviceSpec& device : platform.devices) {
        device.pools[0].capacity = Bytes(dice.roll(0, 400));
      }
      const Graph graph = test::randomGraph(seed, 25);
      for (const ResidencyInfo& info : residencyCatalog()) {
        CAPTURE(allocator, seed, info.name);
        const auto run = test::spreadRun(graph, platform, allocator, [&](RunRequest& request) {
          request.residency = info.rule;
          if (seed % 2 == 0) request.weights.rule = WeightRule::prefetch;
          if (seed % 3 != 0) return;
          request.inputs = InputPlace::near;
          request.outputs = OutputPlace::near;
        });
        REQUIRE(test::faultOf(*run) == "");
        if (run->problem.moves.empty()) continue;
        REQUIRE(run->partition.transfers.empty());
        copies += static_cast<std::size_t>(std::ranges::count(run->timing.activities.activities,
                                                              ActivityKind::copy, &Activity::kind));
      }
    }
  }
  CHECK(copies > test::rounds(300));
}
