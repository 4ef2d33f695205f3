#include <catch2/catch.hpp>

#include "core/insight/moment.h"
#include "core/plan/metrics.h"
#include "tests/conformance/subjects.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

ProblemShape shapeOf(std::uint64_t seed) {
  ProblemShape shape{.stays = 4 + seed % 37, .steps = 5 + static_cast<std::int64_t>(seed % 29)};
  if (seed % 3 == 1) shape.alignedPercent = 40;
  if (seed % 4 == 2) shape.gapPercent = 30;
  if (seed % 5 == 3) shape.pinnedPercent = 15;
  if (seed % 7 == 4) shape.pools = 2;
  if (shape.pools > 1) shape.assignedPercent = 50;
  return shape;
}

void checkDecision(const Problem& problem, const Plan& plan, const Decision& decision) {
  const auto& address = plan.addresses[decision.stay];
  CHECK(!decision.decided.empty());
  std::size_t chosen = 0;
  for (const Candidate& candidate : decision.candidates) {
    INFO(candidate.kind << ": " << verdictName(candidate.verdict) << ", " << candidate.reason);
    CHECK(!candidate.kind.empty());
    CHECK(!candidate.reason.empty());
    if (candidate.verdict == Verdict::chosen) {
      ++chosen;
      CHECK(candidate.address == address);
    }
    for (const StayId wall : candidate.because) CHECK(wall.index() < problem.stays.size());
  }
  CHECK(chosen == (address ? 1U : 0U));
}

}  // namespace

TEST_CASE("every allocator's explanation chooses what its plan chose", "[explain][conformance]") {
  const std::size_t count = allocatorCatalog().size();
  for (std::size_t index = 0; index < count; ++index) {
    const Subject subject = test::subject(index);
    std::size_t explained = 0;
    std::size_t accounts = 0;
    for (const std::uint64_t seed : test::Seeds(60)) {
      const Problem problem = randomProblem(seed, shapeOf(seed));
      const auto plan = subject.allocator->plan(problem, quickContext());
      if (!plan) continue;  // Pins, for those that cannot keep them.
      for (const StayId stay : problem.stays.keys()) {
        INFO(subject.info->name << ", seed " << seed << ", stay " << stay.index());
        const Decision decision = subject.allocator->explain(problem, *plan, stay);
        REQUIRE(decision.stay == stay);
        checkDecision(problem, *plan, decision);
        if (problem.stays[stay].pinned) continue;
        ++explained;
        accounts += decision.fromPlan ? 0 : 1;
      }
    }
    INFO(subject.info->name);
    CHECK(explained > test::atLeast(500));
    // Whoever keeps an account keeps it for every stay: a wrong one would be judged from the plan.
    CHECK((accounts == explained || accounts == 0));
  }
}

TEST_CASE("what the judge makes of a plan holds whoever made it", "[explain][conformance]") {
  for (std::size_t index = 0; index < allocatorCatalog().size(); ++index) {
    const Subject subject = test::subject(index);
    for (std::uint64_t seed = 101; seed <= 120; ++seed) {
      const Problem problem = randomProblem(seed, shapeOf(seed));
      const auto plan = subject.allocator->plan(problem, quickContext());
      if (!plan) continue;
      for (const StayId stay : problem.stays.keys()) {
        INFO(subject.info->name << ", seed " << seed << ", stay " << stay.index());
        const Decision decision = judgeDecision(problem, *plan, stay);
        CHECK(decision.fromPlan);
        checkDecision(problem, *plan, decision);
      }
    }
  }
}

TEST_CASE("what a moment shows adds up to the footprint", "[explain][conformance]") {
  for (std::size_t index = 0; index < allocatorCatalog().size(); ++index) {
    const Subject subject = test::subject(index);
    for (const std::uint64_t seed : test::Seeds(40)) {
      const Problem problem = randomProblem(seed, shapeOf(seed));
      const auto plan = subject.allocator->plan(problem, quickContext());
      if (!plan) continue;
      for (const PoolId pool : problem.pools.keys()) {
        const PoolMetrics metrics = measure(problem, *plan).pools[pool];
        Bytes highest;
        for (Step step; step < problem.steps; step += Step(1)) {
          INFO(subject.info->name << ", seed " << seed << ", step " << step.count());
          const Moment moment = momentAt(problem, *plan, pool, step);
          Bytes live;
          for (const auto& tenant : moment.tenants) live += tenant.bytes.length();
          Bytes holes;
          for (const auto& hole : moment.holes) {
            holes += hole.bytes.length();
            CHECK(hole.until > step);
            const Moment later = momentAt(problem, *plan, pool, hole.until - Step(1));
            const auto stillThere = [&](StayId wall) {
              return !wall || std::ranges::find(later.tenants, wall, &Moment::Tenant::stay) !=
                                  later.tenants.end();
            };
            CHECK(stillThere(hole.below));
            CHECK(stillThere(hole.above));
          }
          Bytes kept;
          for (const auto& each : moment.kept) kept += each.bytes.length();
          CHECK(live == moment.live);
          CHECK(holes == moment.holeBytes);
          CHECK(kept == moment.keptBytes);
          CHECK(live + kept + holes + moment.above == plan->footprint(pool));
          highest = std::max(highest, moment.top);
        }
        CHECK(momentAt(problem, *plan, pool, metrics.atTop.step).top == highest);
        CHECK(metrics.atTop.top == highest);
      }
    }
  }
}

}  // namespace hw::test
