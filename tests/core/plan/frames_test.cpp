// Blocks that are taken as a whole: what of them nobody lives in is neither live nor free.

#include "core/plan/frames.h"

#include <algorithm>

#include "core/insight/moment.h"
#include "core/plan/fragmentation_curve.h"
#include "core/plan/measure_range.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

TEST_CASE("the rest of a block that is taken is kept, not a hole", "[frames][moment]") {
  // Block 2 was made for q (24 bytes) and grows to 64 for w; u (8) has it at steps 4 and 5.
  const auto run = test::mustRun(test::sample("inception"), test::workedRequest("block-id"));
  CHECK(run->plan.regionsAreBlocks);
  const Moment moment = momentAt(run->problem, run->plan, PoolId(0), Step(5));
  Bytes live;
  Bytes whole;
  for (const StayId id : run->problem.stays.keys()) {
    if (!run->problem.stays[id].steps.contains(Step(5))) continue;
    live += run->problem.stays[id].size;
    whole += run->plan.regions[PoolId(0)][run->plan.addresses[id]->region];
  }
  CHECK(moment.live == live);
  CHECK(moment.keptBytes == whole - live);
  CHECK(moment.keptBytes > Bytes());
  const auto ofU = std::ranges::find_if(
      moment.kept, [&](const auto& kept) { return run->stayName(kept.tenant) == "u"; });
  REQUIRE(ofU != moment.kept.end());
  CHECK(ofU->bytes == Interval<Bytes>{Bytes(72), Bytes(128)});
  CHECK(std::ranges::none_of(moment.holes,
                             [&](const auto& hole) { return hole.bytes.overlaps(ofU->bytes); }));
}

TEST_CASE("figures count the rest of blocks as the moments do", "[frames][metrics]") {
  for (const char* name : {"block-id", "shared-objects", "free-list"}) {
    const auto allocator = AllocatorChoice::parse(name)->make();
    for (const std::uint64_t seed : test::Seeds(60)) {
      CAPTURE(name);
      const Problem problem = test::randomProblem(seed, {.stays = 5 + seed % 30});
      const auto plan = test::must(allocator->plan(problem, {}));
      for (const Fragmentation& now : fragmentationCurve(problem, plan, PoolId(0))) {
        if (now.step >= problem.steps) continue;
        const Moment moment = momentAt(problem, plan, PoolId(0), now.step);
        CHECK(now.live == moment.live);
        CHECK(now.kept == moment.keptBytes);
        CHECK(now.holes == moment.holeBytes);
        CHECK(now.top == moment.top);
        const auto* largest = moment.largestHole();
        CHECK(now.largestHole == (largest ? largest->bytes.length() : Bytes()));
      }
      const PlanMetrics whole = measure(problem, plan);
      const PlanMetrics range = measureRange(problem, plan, {Step(), problem.steps});
      CHECK(range.pools[PoolId(0)].largestHole == whole.pools[PoolId(0)].largestHole);
      CHECK(range.pools[PoolId(0)].atPeak.kept == whole.pools[PoolId(0)].atPeak.kept);
    }
  }
}

TEST_CASE("a frame without its tenants is what is kept, column by column", "[frames]") {
  // Two tenants of a block of 10 bytes, one after the other, the second smaller.
  Problem problem = test::problemOf({{10, 0, 2}, {4, 2, 5}});
  problem.steps = Step(6);
  Plan plan = test::planAt(problem, {0, 3});
  plan.blocks = {{.name = "b",
                  .place = {PoolId(0), RegionId(0), Bytes()},
                  .size = Bytes(10),
                  .steps = {Step(0), Step(6)},
                  .tenants = {StayId(0), StayId(1)}}};
  plan.regions[PoolId(0)][RegionId(0)] = Bytes(10);
  const auto frames = framesOf(problem, plan, PoolId(0));
  REQUIRE(frames.size() == 1);
  const auto kept = keptOf(problem, plan, frames[0]);
  const auto has = [&](Interval<Bytes> bytes, Interval<Step> steps) {
    return std::ranges::any_of(
        kept, [&](const KeptPiece& piece) { return piece.bytes == bytes && piece.steps == steps; });
  };
  CHECK(kept.size() == 3);
  CHECK(has({Bytes(0), Bytes(3)}, {Step(2), Step(5)}));
  CHECK(has({Bytes(7), Bytes(10)}, {Step(2), Step(5)}));
  CHECK(has({Bytes(0), Bytes(10)}, {Step(5), Step(6)}));
  const auto holds = holdsOf(problem, plan);
  CHECK(holds[StayId(0)].next == StayId(1));
  CHECK(holds[StayId(0)].until == Step(2));
  CHECK_FALSE(holds[StayId(1)].next);
  CHECK(holds[StayId(1)].until == Step(6));
}
