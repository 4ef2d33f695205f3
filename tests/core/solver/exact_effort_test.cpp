// What the exact search does with its budget: all of it before anything is spilled, and never a
// worse plan for more of it.

#include <fmt/format.h>

#include "core/allocators/catalog.h"
#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/exact/exact.h"
#include "core/solver/exact/search.h"
#include "core/solver/fast/fast_search.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// A problem that fits into its pool, for which the search takes this many nodes to find out.
struct Hard {
  std::uint64_t seed = 0;
  Problem problem{};
  Bytes capacity{};
  std::int64_t nodes = 0;
};

/// The first of a family that takes between `least` and `most` nodes.
Hard hardOne(const std::string& family, std::int64_t least, std::int64_t most) {
  for (const std::uint64_t seed : test::Seeds(200)) {
    GeneratedProblem made = generateProblem(fmt::format("{},seed={}", family, seed));
    const ExactResult found =
        solveExact(made.problem, PoolId(0), {.capacity = *made.fits, .nodes = most, .threads = 1});
    const bool fits = found.incumbent <= *made.fits;
    if (fits && found.nodes >= least) {
      return {seed, std::move(made.problem), *made.fits, found.nodes};
    }
  }
  FAIL("no problem of '" << family << "' takes that many nodes");
  return {};
}

}  // namespace

TEST_CASE("nothing is spilled as long as the budget may show that all fits", "[exact][families]") {
  const Hard hard = hardOne("guillotine:buffers=60", 600, 20'000);
  CAPTURE(hard.seed, hard.nodes);
  const std::string allocator = fmt::format("exact:nodes={},seconds=0", 2 * hard.nodes);
  const auto run = test::runProblem(
      hard.problem, {.allocator = allocator, .l2 = hard.capacity.count(), .l3 = 1 << 30});
  CHECK(run->plan.footprint(PoolId(0)) <= hard.capacity);
  CHECK(run->plan.footprint(PoolId(1)) == Bytes());
}

TEST_CASE("what does not fit in time is as low as quick methods get it", "[exact][families]") {
  constexpr std::int64_t kNodes = 160'000;
  int open = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const GeneratedProblem made =
        generateProblem(fmt::format("spirals:buffers=900,out=15,seed={}", seed));
    CAPTURE(seed);
    const ExactResult found = solveExact(made.problem, PoolId(0),
                                         {.capacity = *made.fits, .nodes = kNodes, .threads = 1});
    if (found.incumbent <= *made.fits) continue;
    ++open;
    CHECK(found.status == ExactStatus::stopped);
    const Rectangles rectangles = rectanglesOf(made.problem, PoolId(0));
    const FastResult fast = searchFast(rectangles, {.moves = 150'000, .bound = *made.fits});
    CHECK(found.incumbent <= fast.peak);
    Plan plan;
    for (const StayId id : made.problem.stays.keys()) {
      plan.addresses.add(Address{PoolId(0), RegionId(0), found.offsets[id]});
    }
    plan.regions.add({found.incumbent});
    CHECK(validate(made.problem, plan, 1).empty());
  }
  CHECK(open >= 1);
}

TEST_CASE("more nodes never give a worse plan", "[exact][families]") {
  for (const bool asked : {true, false}) {
    const GeneratedProblem made = generateProblem("spirals:buffers=200,out=8,seed=4");
    Bytes before = kMaxBytes;
    for (const std::int64_t nodes : {1'000, 30'000, 110'000, 150'000, 200'000}) {
      CAPTURE(asked, nodes);
      ExactOptions options{.nodes = nodes, .threads = 1};
      if (asked) options.capacity = made.fits;
      const ExactResult found = solveExact(made.problem, PoolId(0), options);
      CHECK(found.incumbent <= before);
      before = found.incumbent;
    }
  }
}

TEST_CASE("however large the problem, the exact search is not above quick methods",
          "[exact][families]") {
  const Problem problem = generateProblem("scattered:buffers=5000,seed=3").problem;
  const ExactResult found = solveExact(problem, PoolId(0), {.nodes = 2'000, .threads = 1});
  for (const char* quick : {"greedy-by-size", "in-order", "fast:moves=150000"}) {
    CAPTURE(quick);
    const auto plan = test::must(AllocatorChoice::parse(quick)->make()->plan(problem, {}));
    CHECK(found.incumbent <= plan.footprint(PoolId(0)));
  }
}

TEST_CASE("a search that would take too much memory is not begun", "[exact]") {
  for (const std::size_t stays : {100, 6'000}) {
    Problem problem;
    problem.pools.add({.name = "L2"});
    problem.steps = Step(2);
    for (std::size_t i = 0; i < stays; ++i) {
      problem.stays.add({.buffer = BufferId(i), .steps = {Step(0), Step(2)}, .size = Bytes(64)});
    }
    const auto parts = exact::independentParts(problem, problem.stays.keys().toVector());
    CHECK(exact::isTooLarge(parts.front()) == (stays > 1'000));
  }
}

TEST_CASE("joinings and sweeps are paid for from the budget of nodes", "[exact][families]") {
  const GeneratedProblem made = generateProblem("spirals:buffers=300,steps=100,heights=256,seed=4");
  for (const std::int64_t nodes : {2'000, 50'000, 200'000}) {
    CAPTURE(nodes);
    const ExactResult found =
        solveExact(made.problem, PoolId(0), {.capacity = made.fits, .nodes = nodes, .threads = 1});
    CHECK(found.status == ExactStatus::stopped);
    CHECK(found.nodes >= nodes);
    CHECK(found.nodes <= nodes + 20'000);
  }
}
