// What every allocator has to tell: the story of a plan, told in memory events, is the plan.

#include <algorithm>
#include <map>

#include "core/memory/chunk_map.h"
#include "tests/conformance/subjects.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;
using test::quickContext;

namespace {

std::size_t catalogSize() { return allocatorCatalog().size(); }

Problem randomBounded(std::uint64_t seed, std::size_t pools) {
  return test::randomProblem(seed, {.stays = 5 + seed % 40,
                                    .steps = 25,
                                    .maxSize = 60,
                                    .alignedPercent = seed % 2 == 0 ? 50 : 0,
                                    .gapPercent = seed % 3 == 0 ? 40 : 0,
                                    .pools = pools,
                                    .assignedPercent = 30});
}

/// Which stays the story holds while each step runs.
std::map<std::int64_t, std::vector<StayId>> tenants(const Problem& problem, const Plan& plan) {
  std::map<std::int64_t, std::vector<StayId>> byStep;
  std::vector<StayId> live;
  auto event = plan.story.begin();
  for (std::int64_t step = 0; step < problem.steps.count(); ++step) {
    std::vector<StayId> left;
    for (; event != plan.story.end() && event->step == step; ++event) {
      if (event->kind == EventKind::alloc) live.push_back(event->stay);
      if (event->kind == EventKind::free) left.push_back(event->stay);
    }
    byStep[step] = live;
    std::ranges::sort(byStep[step]);
    for (const StayId id : left) live.erase(std::ranges::find(live, id));
  }
  return byStep;
}

bool livesAt(const Problem& problem, StayId id, std::int64_t step) {
  return std::ranges::any_of(problem.liveSteps(id),
                             [&](const Interval<Step>& live) { return live.contains(Step(step)); });
}

}  // namespace

TEST_CASE("a story builds the plan's regions and undoes to nothing", "[conformance][story]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(60)) {
    const Problem problem = randomBounded(seed, 1 + seed % 2);
    const auto plan = test::must(subject.allocator->plan(problem, quickContext()));
    IdMap<PoolId, ChunkMap> pools(problem.pools.size());
    std::int32_t step = 0;
    for (const MemoryEvent& event : plan.story) {
      REQUIRE(event.step >= step);
      step = event.step;
      pools[event.poolId()].apply(event);
      if (event.kind != EventKind::alloc) continue;
      const Address& address = *plan.addresses[event.stay];
      REQUIRE(address == Address{event.poolId(), event.region, event.offset});
      REQUIRE(event.size == problem.stays[event.stay].size);
    }
    for (const PoolId pool : problem.pools.keys()) {
      REQUIRE(pools[pool].inUse() == 0_B);
      // Regions side by side are rounded up so that each starts aligned.
      if (plan.regions[pool].size() <= 1) REQUIRE(pools[pool].footprint() == plan.footprint(pool));
    }
    for (auto event = plan.story.rbegin(); event != plan.story.rend(); ++event) {
      pools[event->poolId()].revert(*event);
    }
    for (const ChunkMap& chunks : pools) REQUIRE(chunks == ChunkMap());
  }
}

TEST_CASE("a story has every stay there when it is needed, and no longer", "[conformance][story]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Problem problem = randomBounded(seed, 1);
    const auto plan = test::must(subject.allocator->plan(problem, quickContext()));
    // Online allocators hold on to a stay in its gaps; those who plan ahead may give it up.
    const bool keepsGaps = problem.gaps.empty();
    for (const auto& [step, live] : tenants(problem, plan)) {
      CAPTURE(step);
      for (const StayId id : problem.stays.keys()) {
        const bool there = std::ranges::binary_search(live, id);
        if (livesAt(problem, id, step)) REQUIRE(there);
        if (there && keepsGaps) REQUIRE(livesAt(problem, id, step));
        if (there) REQUIRE(problem.stays[id].steps.contains(Step(step)));
      }
    }
  }
}

TEST_CASE("what does not fit is said to, with figures that add up", "[conformance][memory]") {
  const auto subject = test::subject(GENERATE(range(std::size_t{0}, catalogSize())));
  CAPTURE(subject.info->name);
  int tight = 0;
  for (const std::uint64_t seed : test::Seeds(80)) {
    Problem problem = randomBounded(seed, 1);
    test::Dice dice(seed);
    problem.pools[PoolId(0)].capacity = Bytes(dice.roll(0, 400));
    const auto plan = test::must(subject.allocator->plan(problem, quickContext()));
    const bool placed = std::ranges::all_of(
        plan.addresses, [](const auto& address) { return address.has_value(); });
    const bool fits = placed && plan.footprint(PoolId(0)) <= *problem.pools[PoolId(0)].capacity;
    const bool says = plan.status == PlanStatus::complete || plan.status == PlanStatus::optimal;
    REQUIRE(fits == says);
    REQUIRE(plan.outOfMemory.has_value() == !placed);
    tight += fits ? 0 : 1;
    if (!plan.outOfMemory) continue;
    const OutOfMemory& failure = *plan.outOfMemory;
    REQUIRE_FALSE(plan.addresses[failure.stay]);
    REQUIRE(failure.wanted == problem.stays[failure.stay].size);
    REQUIRE(failure.step == problem.stays[failure.stay].steps.begin);
    REQUIRE(failure.pools.size() == 1);
    const OutOfMemory::PoolState& pool = failure.pools[0];
    REQUIRE(pool.capacity == *problem.pools[PoolId(0)].capacity);
    REQUIRE(pool.live + pool.freeBytes == pool.capacity);
    REQUIRE(pool.largestFree <= pool.freeBytes);
    Bytes live;
    for (const StayId id : problem.stays.keys()) {
      const bool holds = problem.stays[id].steps.contains(failure.step);
      if (plan.addresses[id] && holds) live += problem.stays[id].size;
    }
    REQUIRE(pool.live == live);
  }
  CHECK(tight > test::atLeast(10));
}
