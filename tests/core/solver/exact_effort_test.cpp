// What the exact search does with its budget: all of it before anything is spilled, and never a
// worse plan for more of it.

#include <fmt/format.h>

#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/exact/exact.h"
#include "core/solver/fast/fast_search.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"

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
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
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
