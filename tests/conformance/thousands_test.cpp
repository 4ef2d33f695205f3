// What holds of every plan of every allocator, on thousands of small problems; a new entry of the
// catalogue joins by itself. Small ones find more per second: everything meets everything.

#include <algorithm>
#include <numeric>

#include "core/check/replay.h"
#include "core/memory/chunk_map.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/conformance/subjects.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::quickContext;

namespace {

std::size_t catalogSize() { return allocatorCatalog().size(); }

/// A mix: one or several pools, alignments, pins, gaps, or none of them; now and then a crowd.
test::ProblemShape mixedShape(std::uint64_t seed) {
  test::Dice dice(seed * 0x9E3779B97F4A7C15ULL + 1);
  return {.stays = static_cast<std::size_t>(dice.roll(1, seed % 100 == 0 ? 80 : 12)),
          .steps = dice.roll(1, 16),
          .maxSize = dice.chance(30) ? 4 : dice.roll(5, 300),
          .maxLength = dice.roll(1, 8),
          .alignedPercent = dice.chance(40) ? 50 : 0,
          .pinnedPercent = dice.chance(15) ? 25 : 0,
          .gapPercent = dice.chance(40) ? 50 : 0,
          .pools = dice.chance(25) ? std::size_t{2} : std::size_t{1},
          .assignedPercent = dice.chance(50) ? 60 : 0};
}

bool hasPins(const Problem& problem) {
  return std::ranges::any_of(problem.stays,
                             [](const Stay& stay) { return stay.pinned.has_value(); });
}

/// The bytes of a plan in which every stay has its own, each rounded up so that any order of them
/// is aligned.
/// Sizes are rounded up to multiples of `granule`.
Bytes withoutReuse(const Problem& problem, Bytes granule) {
  const Bytes common(std::lcm(commonAlignment(problem).value().count(), granule.count()));
  Bytes sum;
  for (const Stay& stay : problem.stays) sum += alignUp(stay.size, common);
  return sum;
}

/// Pool by pool, for a stay may be in either of two.
Bytes boundOf(const Problem& problem, const Plan& plan) {
  Bytes sum;
  for (const PoolMetrics& pool : measure(problem, plan).pools) sum += pool.lowerBound;
  return std::max(sum, lowerBound(problem));
}

void checkStory(const Problem& problem, const Plan& plan) {
  IdMap<PoolId, ChunkMap> memory(problem.pools.size());
  for (const MemoryEvent& event : plan.story) memory[event.poolId()].apply(event);
  for (const ChunkMap& chunks : memory) REQUIRE(chunks.inUse() == 0_B);
  for (auto event = plan.story.rbegin(); event != plan.story.rend(); ++event) {
    memory[event->poolId()].revert(*event);
  }
  for (const ChunkMap& chunks : memory) REQUIRE(chunks == ChunkMap());
}

void checkBytes(const Problem& problem, const Plan& plan) {
  Run run;
  auto model = std::make_shared<Model>();
  auto graph = std::make_shared<Graph>();
  graph->tensors.resize(problem.stays.size());
  model->graph = graph;
  model->problem = problem;
  run.model = model;
  run.problem = problem;
  run.plan = plan;
  const auto found = replayBytes(run, Bytes(1 << 20));
  if (!found.empty()) FAIL(found[0].message);
}

/// Refused in clear words, or all of it.
void checkPlan(const Problem& problem, Bytes granule, const Result<Plan>& plan) {
  if (!plan) {
    REQUIRE(hasPins(problem));
    REQUIRE(plan.error().code == ErrorCode::unsupported);
    REQUIRE(plan.error().message.find("pin") != std::string::npos);
    return;
  }
  REQUIRE(validate(problem, *plan).empty());
  REQUIRE(test::naiveClashes(problem, *plan).empty());
  // A search that ran out of its budget says so; it has a plan all the same.
  REQUIRE((plan->status == PlanStatus::complete || plan->status == PlanStatus::optimal ||
           plan->status == PlanStatus::stopped));
  REQUIRE(std::ranges::all_of(plan->addresses, [](const auto& address) { return !!address; }));
  REQUIRE(plan->footprint() >= boundOf(problem, *plan));
  if (!hasPins(problem)) REQUIRE(plan->footprint() <= withoutReuse(problem, granule));
  checkStory(problem, *plan);
  checkBytes(problem, *plan);
}

}  // namespace

TEST_CASE("thousands: every plan is valid, bounded, intact and told in full", "[thousands]") {
  const std::size_t index = GENERATE(range(std::size_t{0}, catalogSize()));
  const auto subject = test::subject(index);
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(2'000)) {
    const Problem problem = test::randomProblem(seed, mixedShape(seed));
    checkPlan(problem, subject.info->granule, subject.allocator->plan(problem, quickContext()));
  }
}

TEST_CASE("thousands: the same input gives the same bytes", "[thousands]") {
  const std::size_t index = GENERATE(range(std::size_t{0}, catalogSize()));
  const auto subject = test::subject(index);
  CAPTURE(subject.info->name);
  for (std::uint64_t seed = 5'001; seed <= 6'000; ++seed) {
    CAPTURE(seed);
    const Problem problem = test::randomProblem(seed, mixedShape(seed));
    const auto once = subject.allocator->plan(problem, quickContext());
    const auto again = test::subject(index).allocator->plan(problem, quickContext());
    REQUIRE(once.has_value() == again.has_value());
    if (!once) continue;
    REQUIRE(once->addresses == again->addresses);
    REQUIRE(once->story == again->story);
    REQUIRE(once->status == again->status);
  }
}

TEST_CASE("thousands: no method is below the best of all placements", "[thousands]") {
  std::vector<test::Subject> subjects;
  for (std::size_t i = 0; i < catalogSize(); ++i) subjects.push_back(test::subject(i));
  int proved = 0;
  for (const std::uint64_t seed : test::Seeds(400)) {
    test::Dice dice(seed);
    const Problem problem = test::randomProblem(
        seed, {.stays = static_cast<std::size_t>(dice.roll(2, seed % 20 == 0 ? 7 : 6)),
               .steps = 7,
               .maxSize = 20,
               .maxLength = 4,
               .alignedPercent = dice.chance(30) ? 50 : 0,
               .gapPercent = dice.chance(30) ? 60 : 0});
    const Bytes best = test::bruteForcePeak(problem);
    REQUIRE(best >= lowerBound(problem));
    for (const test::Subject& subject : subjects) {
      CAPTURE(subject.info->name);
      const auto plan = test::must(subject.allocator->plan(problem, quickContext()));
      REQUIRE(plan.footprint() >= best);
      if (plan.status != PlanStatus::optimal) continue;
      REQUIRE(plan.footprint() == best);
      ++proved;
    }
  }
  CHECK(proved > test::atLeast(400));
}
