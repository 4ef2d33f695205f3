#include "core/residency/near_stays.h"

#include "core/import/importer.h"
#include "core/residency/residency_rules.h"
#include "core/run/planner.h"
#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/core/solver/exact_oracles.h"
#include "tests/support/level_programs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

constexpr LeavingRule kRules[] = {LeavingRule::all, LeavingRule::oldest, LeavingRule::furthest};

/// The least that has to be there for all operands of the largest op.
Bytes largestStep(const LevelProgram& program) {
  Bytes most;
  for (const UseStep& step : program.steps) {
    Bytes sum;
    for (const OperandUse& use : step.operands) sum += program.buffers[use.buffer].size;
    most = std::max(most, sum);
  }
  return most;
}

/// a and b are read every other step, c in the end; each op leaves something small.
LevelProgram alternating() {
  LevelProgram program;
  const BufferId a = program.buffers.add({10_B, 10_B, true, false});
  const BufferId b = program.buffers.add({10_B, 10_B, true, false});
  for (std::int64_t step = 0; step < 4; ++step) {
    program.steps.push_back({Step(step), {{step % 2 == 0 ? a : b, 10_B, 0_B, true, false}}});
  }
  return program;
}

}  // namespace

TEST_CASE("who leaves is who was touched longest ago, or who is read furthest away",
          "[residency]") {
  const LevelProgram program = alternating();
  CHECK(walkResidency(program, 20_B, LeavingRule::oldest).farTraffic == 20_B);
  // One place for two: each comes when it is read.
  CHECK(walkResidency(program, 10_B, LeavingRule::furthest).farTraffic == 40_B);
  const NearStays exact = exactResidency(program, 10_B);
  CHECK(exact.farTraffic == 30_B);  // a stays; b is used in place.
  CHECK(exact.atLeast == 30_B);
  CHECK(costResidency(program, 10_B).farTraffic == 30_B);
}

TEST_CASE("an operand that is larger than the budget is used in place", "[residency]") {
  const NearStays stays = walkResidency(alternating(), 9_B, LeavingRule::oldest);
  CHECK(stays.stays.empty());
  CHECK(stays.farTraffic == 40_B);
}

TEST_CASE("every choice of stays holds its budget and reads what was written",
          "[residency][property]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const LevelProgram program = test::randomProgram(seed, {.steps = 30});
    const Bytes budget(test::Dice(seed).roll(0, largestStep(program).count() * 3 / 2));
    CAPTURE(budget.count());
    const NearStays exact = exactResidency(program, budget, 20'000);
    CHECK(test::complaint(program, budget, exact) == "");
    CHECK(exact.atLeast <= exact.farTraffic);
    for (const LeavingRule rule : kRules) {
      const NearStays walked = walkResidency(program, budget, rule);
      CHECK(test::complaint(program, budget, walked) == "");
      CHECK(exact.farTraffic <= walked.farTraffic);
    }
    const NearStays valued = costResidency(program, budget);
    CHECK(test::complaint(program, budget, valued) == "");
    CHECK(exact.atLeast <= valued.farTraffic);
  }
}

TEST_CASE("the least far traffic is what trying everything finds", "[residency][property]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    const LevelProgram program = test::randomProgram(seed, {.steps = 4, .live = 4});
    if (program.buffers.size() > 6) continue;
    const Bytes budget(test::Dice(seed).roll(1, largestStep(program).count()));
    CAPTURE(budget.count());
    const NearStays exact = exactResidency(program, budget);
    CHECK(exact.farTraffic == test::bruteForceTraffic(program, budget));
    CHECK(exact.atLeast == exact.farTraffic);
  }
}

TEST_CASE("the least far traffic is what an integer program finds", "[residency][property]") {
  if (!test::installedMipSolver()) {
    WARN("skipped: neither cbc nor glpsol is installed");
    return;
  }
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const LevelProgram program = test::randomProgram(seed, {.steps = 16, .live = 5});
    const Bytes budget(test::Dice(seed).roll(8, largestStep(program).count()));
    CAPTURE(seed, budget.count());
    const NearStays exact = exactResidency(program, budget);
    CHECK(exact.atLeast == exact.farTraffic);
    CHECK(exact.farTraffic.count() ==
          test::integerProgramOptimum(test::trafficProgram(program, budget)));
  }
}

TEST_CASE("behind a level lies what it moves", "[residency][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    const LevelProgram program = test::randomProgram(seed, {.steps = 30});
    const Bytes most = largestStep(program);
    const NearStays near =
        walkResidency(program, most - Bytes(most.count() / 3), LeavingRule::furthest);
    const LevelProgram behind = levelBehind(program, near.stays);
    // Nothing is near there: all that moves behind is what moved at the far pool.
    CHECK(farTraffic(behind, {}) == near.farTraffic);
    const Bytes budget = largestStep(behind);
    CHECK(test::complaint(behind, budget, walkResidency(behind, budget, LeavingRule::oldest)) ==
          "");
  }
}

TEST_CASE("the far traffic of a randomly wired network is the published one",
          "[residency][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const auto model =
      test::must(loadModel((*folder / "graphs/randomly_wired_52.graph.json").string(), {}));
  const Graph& graph = *model.graph;
  const Schedule schedule = givenOrder(graph);
  const Storage storage = shareStorage(graph, schedule, {});
  const LevelProgram program =
      levelProgram(graph, schedule, storage, makeProblem(graph, schedule, storage, 64_B));
  struct Row {
    std::int64_t tensors, oldest, furthest, least;
  };
  for (const Row& row : {Row{8, 588, 392, 392}, Row{6, 1'323, 882, 784},
                         Row{5, 2'009, 1'470, 1'127}, Row{3, 2'597, 2'401, 2'107}}) {
    const Bytes budget = program.buffers[BufferId(0)].size * row.tensors;
    const NearStays exact = exactResidency(program, budget);
    CAPTURE(row.tensors);
    CHECK(walkResidency(program, budget, LeavingRule::oldest).farTraffic == 1_KiB * row.oldest);
    CHECK(walkResidency(program, budget, LeavingRule::furthest).farTraffic == 1_KiB * row.furthest);
    CHECK(exact.farTraffic == 1_KiB * row.least);
    CHECK(exact.atLeast == exact.farTraffic);
    CHECK(test::complaint(program, budget, exact) == "");
    CHECK(costResidency(program, budget).farTraffic >= exact.farTraffic);
  }
}
