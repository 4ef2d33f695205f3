#include "core/trace/moment_delta.h"

#include <catch2/catch.hpp>

#include "core/allocators/catalog.h"
#include "tests/support/problems.h"

using namespace hw;

TEST_CASE("what lies between two moments is what the stays in between make up", "[moment_delta]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    test::Dice dice(seed);
    const Problem problem = test::randomProblem(
        seed, {.stays = 40, .steps = 30, .pools = 1 + seed % 3, .assignedPercent = 50});
    const Plan plan = AllocatorChoice::parse("greedy-by-size")->make()->plan(problem, {}).value();
    Trace::Builder builder(problem.pools.size());
    for (const MemoryEvent& event : plan.story) builder.add(SimTime(event.step), event);
    const Trace trace = std::move(builder).finish();
    for (int i = 0; i < 10; ++i) {
      // Ends of steps: there it is known from the problem alone what lives.
      const Step a(dice.roll(0, 30));
      const Step b(dice.roll(0, 30));
      MomentDelta expected;
      for (const Stay& stay : problem.stays) {
        const bool inA = stay.steps.begin < a && a < stay.steps.end;
        const bool inB = stay.steps.begin < b && b < stay.steps.end;
        expected.live += stay.size * (inB - inA);
        const auto between = [&](Step step) {
          return std::min(a, b) <= step && step < std::max(a, b);
        };
        if (between(stay.steps.begin)) expected.allocated += stay.size;
        if (between(stay.steps.end - Step(1)) && !stay.outlives) expected.released += stay.size;
      }
      CHECK(momentDelta(trace, trace.indexOfStep(a), trace.indexOfStep(b)) == expected);
    }
    CHECK(liveAt(trace, 0) == Bytes());
  }
}
