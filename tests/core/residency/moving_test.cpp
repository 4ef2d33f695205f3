#include <fmt/format.h>

#include "core/check/replay.h"
#include "core/plan/audit_moves.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/support/graphs.h"
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

std::string firstOf(const std::vector<Corruption>& found) {
  return found.empty() ? "" : found.front().message;
}

std::string firstOf(const std::vector<Violation>& found) {
  return found.empty() ? "" : found.front().message;
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
    for (std::uint64_t seed = 1; seed <= test::rounds(30); ++seed) {
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
  for (std::uint64_t seed = 1; seed <= test::rounds(60); ++seed) {
    const Graph graph = test::randomGraph(seed, 30);
    for (const ResidencyInfo& info : residencyCatalog()) {
      CAPTURE(seed, info.name);
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
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto good = moved(test::randomGraph(seed, 25), ResidencyRule::lru, 150);
    for (std::size_t at = 0; at < good->problem.moves.size(); ++at) {
      CAPTURE(seed, at);
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
  CHECK(broken > 100);
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
