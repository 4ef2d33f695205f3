#include "core/check/replay.h"

#include "core/check/replay_stage.h"
#include "core/plan/validate.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

constexpr Bytes kRoomy = Bytes(1 << 24);
constexpr Bytes kNothing = Bytes(0);  ///< Forces sampling.

AliasRules rulesOf(std::uint64_t seed) {
  return {seed % 2 == 0, seed % 3 != 0, seed % 5 != 0, seed % 7 < 3, seed % 11 < 4};
}

std::string text(const std::vector<Corruption>& found) {
  std::string all;
  for (const Corruption& each : found) {
    all += "step " + std::to_string(each.step.count()) + ": " + each.message + "\n";
  }
  return all;
}

/// Problems in which the plan of another one is judged: bare stays, whole and sampled.
std::vector<Corruption> replayPlan(const Problem& problem, const Plan& plan, Bytes maxArena) {
  Run run = *test::runProblem(problem);
  run.plan = plan;
  return replayBytes(run, maxArena);
}

}  // namespace

TEST_CASE("memory keeps what is written and tells the first byte that differs", "[replay]") {
  ReplayMemory memory(1);
  const bool sampled = GENERATE(false, true);
  if (sampled) {
    memory.allocate(PoolId(0), 1000_B, {0_B, 100_B, 107_B, 900_B}, {{110_B, 200_B}});
    CHECK(memory.allocated() == 16_B + 7_B + 93_B + 16_B);
  } else {
    memory.allocate(PoolId(0), 1000_B, {900_B}, {{0_B, 1000_B}});
    CHECK(memory.allocated() == 1000_B);
  }
  const ByteSpan all{PoolId(0), {0_B, 1000_B}};
  memory.write(all, {1, 5_B});
  CHECK_FALSE(memory.firstDifference(all, {1, 5_B}));
  CHECK_FALSE(memory.firstDifference(all.part(103_B, 800_B), {1, 108_B}));
  CHECK(memory.firstDifference(all, {2, 5_B}) == 0_B);
  memory.write(all.part(107_B, 3_B), {2, 0_B});
  CHECK(memory.firstDifference(all, {1, 5_B}) == 107_B);
  CHECK_FALSE(memory.firstDifference(all.part(107_B, 3_B), {2, 0_B}));
}

TEST_CASE("a good run leaves no corruption, with every aliasing rule", "[replay][property]") {
  for (const std::uint64_t seed : test::Seeds(150)) {
    const auto run = test::runGraph(test::randomGraph(seed, 5 + seed % 40),
                                    {.alignment = seed % 2 == 0 ? 1 : 8, .alias = rulesOf(seed)});
    CHECK(text(replayBytes(*run, kRoomy)) == "");
    CHECK(text(replayBytes(*run, kNothing)) == "");
  }
}

TEST_CASE("a good plan of bare stays leaves no corruption", "[replay][property]") {
  for (const std::uint64_t seed : test::Seeds(150)) {
    const Problem problem = test::randomProblem(seed, {.alignedPercent = 30, .gapPercent = 40});
    const auto run = test::runProblem(problem);
    CHECK(text(replayBytes(*run, kRoomy)) == "");
    CHECK(text(replayBytes(*run, kNothing)) == "");
  }
}

TEST_CASE("replay and comparing all pairs agree on every plan of bare stays",
          "[replay][property]") {
  int good = 0;
  int bad = 0;
  for (const std::uint64_t seed : test::Seeds(400)) {
    test::Dice dice(seed * 31);
    const auto stays = static_cast<std::size_t>(dice.roll(2, 10));
    const Problem problem =
        test::randomProblem(seed, {.stays = stays, .steps = 10, .maxSize = 40, .gapPercent = 50});
    std::vector<std::int64_t> offsets;
    for (std::size_t i = 0; i < stays; ++i) offsets.push_back(dice.roll(0, 250));
    const Plan plan = test::planAt(problem, offsets);
    const bool valid = test::naiveClashes(problem, plan).empty();
    REQUIRE(replayPlan(problem, plan, kRoomy).empty() == valid);
    REQUIRE(replayPlan(problem, plan, kNothing).empty() == valid);
    ++(valid ? good : bad);
  }
  CHECK(good > test::atLeast(50));
  CHECK(bad > test::atLeast(50));
}

TEST_CASE("a replay tells how far it is", "[replay]") {
  const auto run = test::runGraph(test::randomGraph(3, 200), {});
  std::vector<double> told;
  CHECK(replayBytes(*run, kRoomy, 20, [&](double part) { told.push_back(part); }).empty());
  REQUIRE(told.size() > 50);
  CHECK(told.size() <= 202);
  CHECK(told.front() == 0);
  CHECK(told.back() < 1);
  CHECK(std::ranges::is_sorted(told));
}

TEST_CASE("an overlap is reported by reader, byte and culprit", "[replay]") {
  // step   0    1    2
  //  a     x---------x     [0, 10)
  //  b          x----x     [6, 16) by mistake
  const Problem problem = test::problemOf({{10, 0, 2}, {10, 1, 2}});
  const auto found = replayPlan(problem, test::planAt(problem, {0, 6}), kRoomy);
  REQUIRE(found.size() == 1);
  CHECK(found[0].step == 1_st);
  CHECK(found[0].message ==
        "'s0' at its last step: byte 6 of 's0' (address 6) is not what was written; 's1' was "
        "written there in step 1");
}

TEST_CASE("an op that overwrites its own input is caught", "[replay]") {
  Run run = *test::runGraph(test::chainGraph());
  REQUIRE(replayBytes(run, kRoomy).empty());
  // t1 is made from t0: give it t0's address.
  run.plan.addresses[StayId(2)] = run.plan.addresses[StayId(1)];
  const auto found = replayBytes(run, kRoomy);
  REQUIRE(found.size() >= 1);
  CHECK(found[0].message == "op 'g1': byte 0 of 't0' (address " +
                                std::to_string(test::offsetOf(run, "t0").count()) +
                                ") is not what was written; op 'g1' wrote 't1' there in step 1");
  CHECK_FALSE(validate(run.problem, run.plan).empty());
}

namespace {

/// Nobody looks at a graph input that is not read, so nobody can tell that it was overwritten.
bool neverLookedAt(const Run& run, StayId id) {
  const Tensor& tensor = run.graph().tensors[run.stayTensor(id)];
  return tensor.graphInput && !tensor.graphOutput && tensor.consumers.empty();
}

/// `run` with the first byte of `a` on the last byte of `b`.
Run movedOnto(const Run& run, StayId a, StayId b) {
  Run mutant = run;
  const Bytes at = run.plan.addresses[b]->offset + run.problem.stays[b].size - 1_B;
  mutant.plan.addresses[a]->offset = at;
  Bytes& region = mutant.plan.regions[PoolId(0)][RegionId(0)];
  region = std::max(region, at + run.problem.stays[a].size);
  return mutant;
}

}  // namespace

TEST_CASE("every address moved onto a neighbour is noticed", "[replay][mutation]") {
  int mutants = 0;
  for (const std::uint64_t seed : test::Seeds(25)) {
    const auto run = test::runGraph(test::randomGraph(seed, 12));
    for (const StayId a : run->problem.stays.keys()) {
      for (const StayId b : run->problem.stays.keys()) {
        const bool together = run->problem.stays[a].steps.overlaps(run->problem.stays[b].steps);
        if (a == b || !together) continue;
        const Run mutant = movedOnto(*run, a, b);
        CAPTURE(a, b);
        REQUIRE_FALSE(validate(mutant.problem, mutant.plan).empty());
        if (neverLookedAt(*run, a) || neverLookedAt(*run, b)) continue;
        ++mutants;
        REQUIRE_FALSE(replayBytes(mutant, kRoomy).empty());
        REQUIRE_FALSE(replayBytes(mutant, kNothing).empty());
      }
    }
  }
  CHECK(mutants > test::atLeast(1000));
}

TEST_CASE("every release that comes a step early is noticed", "[replay][mutation]") {
  int mutants = 0;
  int overlaps = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto run =
        test::runGraph(test::randomGraph(seed, 20), {.alias = rulesOf(seed / 2 * 2 + 1)});
    for (const StayId id : run->problem.stays.keys()) {
      if (run->problem.stays[id].steps.length() < 2_st) continue;
      CAPTURE(id);
      Run mutant = *run;
      mutant.problem.stays[id].steps.end -= 1_st;
      mutant.problem.stays[id].outlives = false;
      ++mutants;
      REQUIRE_FALSE(replayBytes(mutant, kRoomy).empty());
      REQUIRE_FALSE(replayBytes(mutant, kNothing).empty());

      // The plan of the shortened problem, played with the true lifetimes.
      const auto plan = test::must(run->request.allocator.make()->plan(mutant.problem, {}));
      mutant.problem = run->problem;
      mutant.plan = plan;
      const bool valid = validate(mutant.problem, mutant.plan).empty();
      if (valid) REQUIRE(replayBytes(mutant, kRoomy).empty());
      if (!valid) ++overlaps;
    }
  }
  CHECK(mutants > test::atLeast(200));
  CHECK(overlaps > test::atLeast(50));
}

TEST_CASE("every alias that is a byte off is noticed", "[replay][mutation]") {
  int mutants = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    const auto run =
        test::runGraph(test::randomGraph(seed, 25), {.alias = {true, true, true, false}});
    for (const TensorId id : run->graph().tensors.keys()) {
      const auto& slot = run->storage.slots[id];
      if (!slot || run->storage.buffers[slot->buffer].tensors.size() < 2) continue;
      for (const Bytes shift : {Bytes(1), Bytes(-1)}) {
        CAPTURE(id, shift);
        Run mutant = *run;
        mutant.storage.slots[id]->offset += shift;
        ++mutants;
        REQUIRE_FALSE(replayBytes(mutant, kRoomy).empty());
        REQUIRE_FALSE(replayBytes(mutant, kNothing).empty());
      }
    }
  }
  CHECK(mutants > 500);
}

TEST_CASE("aliasing a tensor that is still needed is noticed", "[replay]") {
  // b = Relu(a) in the place of a, which c still reads.
  Run run =
      *test::runGraph(test::drawnGraph({.tensors = {{"x", 8}, {"a", 8}, {"b", 8}, {"c", 8}},
                                        .inputs = {"x"},
                                        .ops = {"Conv x -> a", "Relu a -> b", "Add a, b -> c"},
                                        .outputs = {"c"}}));
  REQUIRE(replayBytes(run, kRoomy).empty());
  const TensorId a = test::tensorOf(run.graph(), "a");
  const TensorId b = test::tensorOf(run.graph(), "b");
  run.storage.slots[b] = run.storage.slots[a];
  run.storage.inPlace = {b};
  const auto found = replayBytes(run, kRoomy);
  REQUIRE(found.size() >= 1);
  CHECK(found[0].step == 2_st);
  CHECK(found[0].message.find("op 'c': byte 0 of 'a'") == 0);
}

TEST_CASE("a stay without a place inside its pool is named", "[replay]") {
  const Problem problem = test::problemOf({{10, 0, 2}, {10, 1, 2}});
  Plan plan = test::planAt(problem, {0, 10});
  SECTION("no address") {
    plan.addresses[StayId(1)].reset();
    plan.status = PlanStatus::stopped;
    CHECK(text(replayPlan(problem, plan, kRoomy)) == "step 1: 's1' has no address\n");
  }
  SECTION("too far up") {
    plan.addresses[StayId(1)]->offset = GENERATE(11_B, kMaxBytes, Bytes(-1));
    CHECK(text(replayPlan(problem, plan, kRoomy)) == "step 1: 's1' lies outside the pool\n");
  }
  SECTION("no such region or pool") {
    plan.addresses[StayId(1)]->region = RegionId(4);
    CHECK(text(replayPlan(problem, plan, kRoomy)) == "step 1: 's1' is in no region\n");
    plan.addresses[StayId(1)]->pool = PoolId(9);
    CHECK(text(replayPlan(problem, plan, kRoomy)) == "step 1: 's1' is in no pool\n");
  }
}

TEST_CASE("arenas of any size are replayed in a few kilobytes", "[replay]") {
  // Stay 1 overlaps stay 0 by one byte out of 2^40.
  const std::int64_t huge = std::int64_t{1} << 40;
  const Problem problem = test::problemOf({{huge, 0, 2}, {huge, 1, 2}});
  CHECK(replayPlan(problem, test::planAt(problem, {0, huge}), 1_MiB).empty());
  CHECK(replayPlan(problem, test::planAt(problem, {0, huge - 1}), 1_MiB).size() == 1);
}
