// The byte-level replay where a buffer is in several places: on two devices, in a far pool for a
// while, back at its address after a gap.
#include <algorithm>
#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

constexpr Bytes kRoomy = Bytes(1 << 24);
constexpr Bytes kNothing = Bytes(0);  ///< Forces sampling.

std::shared_ptr<const Run> onTwoDevices(Graph graph, const std::string& nested,
                                        std::optional<Bytes> l2 = {}) {
  auto model = std::make_shared<Model>();
  model->name = graph.name;
  model->graph = std::make_shared<const Graph>(std::move(graph));
  RunRequest request = test::workedRequest("partition:allocator=" + nested);
  request.platform = *findPlatform("two-devices");
  if (l2) request.l2 = {PoolSize::Kind::bytes, *l2};
  return test::mustRun(model, request);
}

/// x on device A, copied to B for the step that needs it.
Graph crossingGraph() {
  return test::drawnGraph({.tensors = {{"x", 8}, {"a", 16}, {"b", 16}, {"y", 4}},
                           .inputs = {"x"},
                           .ops = {"conv: Conv x -> a", "relu: Relu a -> b", "sum: Add a, b -> y"},
                           .outputs = {"y"}});
}

/// Stays of the tensor called `name`, by begin.
std::vector<StayId> staysOf(const Run& run, std::string_view name) {
  std::vector<StayId> stays;
  for (const StayId id : run.problem.stays.keys()) {
    if (run.stayName(id) == name) stays.push_back(id);
  }
  std::ranges::stable_sort(stays, {}, [&](StayId id) { return run.problem.stays[id].steps; });
  return stays;
}

/// chain's t0 leaves L2 for step 2 and comes back for step 3: by hand, nobody plans that yet.
///
///   step   0    1    2    3
///   t0     L2---|    L2'--|       and in L3 from 1 to 3
Run spilledRun() {
  const Graph graph = test::drawnGraph(
      {.tensors = {{"x", 4}, {"t0", 16}, {"t1", 16}, {"t2", 16}, {"y", 2}},
       .inputs = {"x"},
       .ops = {"g0: Op x -> t0", "g1: Op t0 -> t1", "g2: Op t1 -> t2", "g3: Op t0, t2 -> y"},
       .outputs = {"y"}});
  Run run = *test::runGraph(graph, {.allocator = "none", .l3 = 1'000});
  const StayId near = staysOf(run, "t0")[0];
  Stay far = run.problem.stays[near];
  run.problem.stays[near].steps = {0_st, 2_st};
  far.steps = {2_st, 3_st};
  far.pool = PoolId(1);
  Stay back = run.problem.stays[near];
  back.steps = {3_st, 4_st};
  run.problem.stays.add(far);
  run.plan.addresses.add(Address{PoolId(1), RegionId(0), 0_B});
  run.plan.regions[PoolId(1)].resize(1);
  run.plan.regions[PoolId(1)][RegionId(0)] = 16_B;
  run.problem.stays.add(back);
  run.plan.addresses.add(run.plan.addresses[near]);
  return run;
}

}  // namespace

TEST_CASE("a run over two devices really copies, and nothing is lost", "[replay][devices]") {
  std::size_t transfers = 0;
  for (const std::uint64_t seed : test::Seeds(150)) {
    const char* nested[] = {"free-list", "greedy-by-size", "block-id", "two-sided"};
    const auto run = onTwoDevices(test::randomGraph(seed, 4 + seed % 30), nested[seed % 4],
                                  seed % 5 == 0 ? std::optional(200_B) : std::nullopt);
    transfers += run->partition.transfers.size();
    REQUIRE(test::firstOf(replayBytes(*run, kRoomy)) == "");
    REQUIRE(test::firstOf(replayBytes(*run, kNothing)) == "");
  }
  CHECK(transfers > test::atLeast(300));
}

TEST_CASE("the copy that a plan on paper makes is replayed too", "[replay][devices][audit]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto run = onTwoDevices(test::randomGraph(seed, 4 + seed % 30), "greedy-by-size");
    std::ostringstream file;
    writePlanJson(*run, file);
    const Audit audit = auditPlan(run->model, readPlan(file.str()).value(), {});
    REQUIRE(audit.run);
    REQUIRE(test::firstOf(replayBytes(*audit.run, kRoomy)) == "");
  }
}

TEST_CASE("a copy onto bytes that others need is noticed, on either device", "[replay][mutation]") {
  int mutants = 0;
  for (const std::uint64_t seed : test::Seeds(30)) {
    const auto run = onTwoDevices(test::randomGraph(seed, 12), "none");
    for (const StayId a : run->problem.stays.keys()) {
      for (const StayId b : run->problem.stays.keys()) {
        const Stay& one = run->problem.stays[a];
        const Stay& other = run->problem.stays[b];
        const auto unread = [&](const Stay& stay) {
          return run->graph().tensors[run->storage.buffers[stay.buffer].root].consumers.empty();
        };
        const bool samePool = run->plan.addresses[a]->pool == run->plan.addresses[b]->pool;
        if (a == b || !samePool || !one.steps.overlaps(other.steps)) continue;
        if (unread(one) || unread(other)) continue;
        Run mutant = *run;
        mutant.plan.addresses[a] = mutant.plan.addresses[b];
        Bytes& region = mutant.plan.regions[run->plan.addresses[b]->pool][RegionId(0)];
        region = std::max(region, run->plan.addresses[b]->offset + one.size);
        CAPTURE(a, b);
        ++mutants;
        REQUIRE_FALSE(replayBytes(mutant, kRoomy).empty());
        REQUIRE_FALSE(replayBytes(mutant, kNothing).empty());
      }
    }
  }
  CHECK(mutants > test::atLeast(500));
}

TEST_CASE("a transfer that is missing, late or from nowhere is noticed", "[replay][devices]") {
  const auto run = onTwoDevices(crossingGraph(), "none");
  REQUIRE(test::firstOf(replayBytes(*run, kRoomy)) == "");
  const std::vector<StayId> a = staysOf(*run, "a");
  REQUIRE(a.size() == 2);
  Run mutant = *run;
  SECTION("missing: the op finds nothing on its device") {
    mutant.problem.stays[a[1]].steps = {1_st, 2_st};
    CHECK(test::firstOf(replayBytes(mutant, kRoomy)) ==
          "op 'sum' runs on 'B', where 'a' has no place");
  }
  SECTION("late: what it copies from has been given up") {
    mutant.problem.stays[a[0]].steps.end = 2_st;
    mutant.problem.stays[a[1]].steps.begin = 2_st;
    CHECK(test::firstOf(replayBytes(mutant, kRoomy)) ==
          "");  // A copy between two steps is one too.
    mutant.problem.stays[a[0]].steps.end = 1_st;
    CHECK_FALSE(replayBytes(mutant, kRoomy).empty());
  }
  SECTION("on the wrong device") {
    mutant.plan.addresses[a[1]]->pool = mutant.plan.addresses[a[0]]->pool;
    CHECK_FALSE(replayBytes(mutant, kRoomy).empty());
  }
}

TEST_CASE("a tensor spilled and filled is copied out and back", "[replay][residency]") {
  Run run = spilledRun();
  REQUIRE(test::firstOf(replayBytes(run, kRoomy)) == "");
  REQUIRE(test::firstOf(replayBytes(run, kNothing)) == "");
  // While it is away, its bytes are free for t2: made in step 2, read in step 3 beside it.
  const StayId t0 = staysOf(run, "t0")[0];
  const StayId t2 = staysOf(run, "t2")[0];
  const StayId t1 = staysOf(run, "t1")[0];
  SECTION("others may use its bytes meanwhile") {
    run.problem.stays[t1].steps.begin = 1_st;
    run.plan.addresses[t2] = run.plan.addresses[t0];
    // t2 is still read when t0 comes back: that clashes.
    CHECK_FALSE(replayBytes(run, kRoomy).empty());
    run.plan.addresses[StayId(run.problem.stays.size() - 1)] = run.plan.addresses[t1];
    CHECK(test::firstOf(replayBytes(run, kRoomy)) == "");
  }
  SECTION("but not the bytes it spilled to") {
    run.plan.addresses[t1]->pool = PoolId(1);
    run.plan.addresses[t1]->offset = 0_B;
    CHECK_FALSE(replayBytes(run, kRoomy).empty());
  }
}

TEST_CASE("a tensor of a graph is written again after a gap", "[replay][gaps]") {
  Run run = spilledRun();
  // One stay with a gap instead of three.
  const StayId t0 = staysOf(run, "t0")[0];
  run.problem.stays[t0].steps = {0_st, 4_st};
  run.problem.stays.resize(run.problem.stays.size() - 2);
  run.plan.addresses.resize(run.plan.addresses.size() - 2);
  run.problem.gaps = {{t0, {2_st, 3_st}}};
  REQUIRE(test::firstOf(replayBytes(run, kRoomy)) == "");
  SECTION("what it holds in the gap is nobody's business") {
    const StayId x = staysOf(run, "x")[0];
    run.problem.stays[x].steps = {2_st, 3_st};
    run.plan.addresses[x] = run.plan.addresses[t0];
    const auto found = replayBytes(run, kRoomy);
    CHECK(std::ranges::none_of(found, [](const Corruption& each) {
      return each.message.find("'t0'") != std::string::npos;
    }));
  }
  SECTION("but it may not be read then") {
    run.problem.gaps = {{t0, {1_st, 3_st}}};
    CHECK(test::firstOf(replayBytes(run, kRoomy)) == "op 'g1': 't0' is in no memory");
  }
}
