#include "core/insight/stop_scan.h"

#include <algorithm>

#include "core/machine/platforms.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> runOf(const Problem& problem, std::string_view allocator,
                                 std::optional<Bytes> capacity = {}) {
  auto model = std::make_shared<Model>();
  auto graph = std::make_shared<Graph>();
  for (const StayId stay : problem.stays.keys()) {
    graph->tensors.add({.name = "t" + std::to_string(stay.index()),
                        .bytes = problem.stays[stay].size,
                        .origin = SizeOrigin::declared});
  }
  model->name = "random";
  model->graph = std::move(graph);
  model->problem = problem;
  RunRequest request;
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.platform = platformCatalog().front();
  request.l2 = {PoolSize::Kind::unbounded, {}};
  if (capacity) request.l2 = {PoolSize::Kind::bytes, *capacity};
  if (capacity) request.l3 = {PoolSize::Kind::bytes, Bytes(1)};
  return test::must(execute(model, request, {}));
}

/// Memory as it is, looked at afresh: nothing is carried over from one moment to the next.
bool holdsAt(const Run& run, const StopCondition& condition, std::size_t moment) {
  const ChunkMap map = run.trace.stateAfter(moment)[condition.pool];
  Bytes used;
  Bytes largest;
  for (const RegionId region : IdRange<RegionId>(map.regionCount())) {
    for (const Chunk& chunk : map.chunks(region)) {
      if (chunk.isFree()) {
        largest = std::max(largest, chunk.size);
      } else {
        used += chunk.size;
      }
    }
  }
  return condition.kind == StopKind::holeBelow ? largest < condition.bytes : used > condition.bytes;
}

/// All moments that meet `condition`, by looking at every end of an entry.
std::vector<StopPoint> allStops(const Run& run, const StopCondition& condition) {
  std::vector<StopPoint> stops;
  std::size_t before = 0;
  for (const TimelineEntry& entry : run.timeline) {
    const MemoryEvent& last = run.trace.event(entry.lastEvent - 1);
    bool meets = false;
    switch (condition.kind) {
      case StopKind::occupancyAbove:
      case StopKind::holeBelow:
        meets = holdsAt(run, condition, entry.lastEvent) && !holdsAt(run, condition, before);
        break;
      case StopKind::allocated:
        meets = last.kind == EventKind::alloc;
        break;
      case StopKind::freed:
        meets = last.kind == EventKind::free;
        break;
      case StopKind::step:
      case StopKind::allocationFails:
        FAIL("not a condition on events");
    }
    const bool named = condition.kind == StopKind::allocated || condition.kind == StopKind::freed;
    if (named && condition.stay) meets = meets && last.stay == condition.stay;
    if (meets) stops.push_back({entry.lastEvent, entry.step});
    before = entry.lastEvent;
  }
  return stops;
}

StopCondition randomCondition(test::Dice& dice, const Run& run) {
  const auto largest = static_cast<std::int64_t>(run.plan.footprint(PoolId(0)).count());
  StopCondition condition{.pool = PoolId(0)};
  switch (dice.roll(0, 3)) {
    case 0:
      condition.kind = StopKind::occupancyAbove;
      condition.bytes = Bytes(dice.roll(0, largest));
      break;
    case 1:
      condition.kind = StopKind::holeBelow;
      condition.bytes = Bytes(dice.roll(1, 60));
      break;
    default:
      condition.kind = dice.chance(50) ? StopKind::allocated : StopKind::freed;
      if (dice.chance(70)) {
        const auto last = static_cast<std::int64_t>(run.problem.stays.size()) - 1;
        condition.stay = StayId(static_cast<std::size_t>(dice.roll(0, last)));
      }
  }
  return condition;
}

}  // namespace

TEST_CASE("a run stops where a look at every moment says, in both directions", "[until]") {
  const char* allocators[] = {"free-list", "greedy-by-size", "block-id", "two-sided"};
  std::size_t met = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    test::Dice dice(seed);
    const Problem problem = test::randomProblem(
        seed, {.stays = 5 + seed % 40, .steps = 25, .gapPercent = seed % 3 == 0 ? 20 : 0});
    // Gaps are for offline planners.
    const auto run = runOf(problem, seed % 3 == 0 ? "greedy-by-size" : allocators[seed % 4]);
    for (int i = 0; i < 12; ++i) {
      const StopCondition condition = randomCondition(dice, *run);
      CAPTURE(static_cast<int>(condition.kind), condition.bytes.count());
      const auto stops = allStops(*run, condition);
      const auto moment =
          static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(run->trace.size())));
      const StopPoint from{moment, Step()};
      const auto after = std::ranges::upper_bound(stops, moment, {}, &StopPoint::moment);
      const auto next = findStop(*run, condition, from, true);
      REQUIRE(next == (after == stops.end() ? std::nullopt : std::optional(*after)));
      const auto before = std::ranges::lower_bound(stops, moment, {}, &StopPoint::moment);
      const auto previous = findStop(*run, condition, from, false);
      REQUIRE(previous ==
              (before == stops.begin() ? std::nullopt : std::optional(*std::prev(before))));
      met += next.has_value() + previous.has_value();
    }
  }
  CHECK(met > test::atLeast(300));  // The conditions are not all void.
}

TEST_CASE("looking in small pieces finds the same and can be watched", "[until]") {
  const auto run = runOf(test::randomProblem(9, {.stays = 60, .steps = 30}), "free-list");
  const StopCondition condition{.kind = StopKind::freed,
                                .stay = StayId(run->problem.stays.size() - 1)};
  StopScan scan(*run, condition, {}, true);
  std::size_t looked = 0;
  while (scan.advance(3) == StopScan::State::searching) {
    CHECK(scan.at().moment > looked);
    looked = scan.at().moment;
  }
  const auto whole = findStop(*run, condition, {}, true);
  REQUIRE(scan.state() == (whole ? StopScan::State::met : StopScan::State::notMet));
  if (whole) CHECK(scan.at() == *whole);
}

TEST_CASE("a step that begins after the next has begun at its own point", "[until]") {
  // Step 1 takes [0, 4) first, then step 0 takes [4, 8).
  Trace::Builder builder(1);
  builder.addStepBegin(2);
  builder.addStepBegin(0);
  for (const std::int32_t step : {1, 0}) {
    MemoryEvent event{.offset = Bytes(step == 1 ? 0 : 4),
                      .size = Bytes(4),
                      .step = step,
                      .stay = StayId(static_cast<std::size_t>(step)),
                      .region = RegionId(0)};
    builder.add(SimTime(), event);
    event.kind = EventKind::alloc;
    builder.add(SimTime(), event);
  }
  Run run;
  run.trace = std::move(builder).finish();
  CHECK(pointOfStep(run, Step(0)) == StopPoint{4, Step(0)});
  CHECK(pointOfStep(run, Step(1)) == StopPoint{4, Step(1)});
}

TEST_CASE("a step has its allocations, also where the next one does no work", "[until]") {
  int views = 0;
  for (std::uint64_t round = 0; round < test::rounds(60); ++round) {
    CAPTURE(round);
    const auto run =
        test::runGraph(test::randomGraph(round, 30), {.alias = AliasRules::all(), .l2 = 2'000});
    IdMap<StayId, std::size_t> allocated(run->problem.stays.size());
    for (std::size_t i = 0; i < run->trace.size(); ++i) {
      const MemoryEvent& event = run->trace.event(i);
      if (event.kind == EventKind::alloc) allocated[event.stay] = i + 1;
    }
    for (const StayId stay : run->problem.stays.keys()) {
      if (allocated[stay] == 0) continue;  // It found no room.
      const Step step = run->problem.stays[stay].steps.begin;
      CAPTURE(stay.index(), step.count());
      CHECK(pointOfStep(*run, step).moment >= allocated[stay]);
    }
    views += static_cast<int>(std::ranges::count(run->storage.free, true));
  }
  CHECK(views >= test::atLeast(60));
}

TEST_CASE("steps in which nothing happens can be run to", "[until]") {
  //   step 0 1 2 3 4
  //   a    x x
  //   b            x
  const auto run = runOf(test::problemOf({{4, 0, 2}, {4, 4, 5}}), "greedy-by-size");
  const StopCondition third{.kind = StopKind::step, .step = Step(3)};
  const auto there = findStop(*run, third, {}, true);
  REQUIRE(there);
  CHECK(there->step == Step(3));
  CHECK(*there == pointOfStep(*run, Step(3)));
  CHECK_FALSE(findStop(*run, third, *there, true));
  CHECK_FALSE(findStop(*run, third, *there, false));
  CHECK(findStop(*run, third, {there->moment, Step(4)}, false) == there);
  CHECK(findStop(*run, third, {there->moment, Step(2)}, true) == there);
}

TEST_CASE("an allocator that runs out of memory fails where its story ends", "[until]") {
  // b does not fit above a, and what comes later was never asked for.
  const auto run =
      runOf(test::problemOf({{8, 0, 3}, {8, 1, 3}, {4, 2, 3}}), "free-list", Bytes(10));
  REQUIRE(run->plan.outOfMemory);
  const auto found = findStop(*run, {.kind = StopKind::allocationFails}, {}, true);
  REQUIRE(found);
  CHECK(found->step == run->problem.stays[run->plan.outOfMemory->stay].steps.begin);
  CHECK_FALSE(findStop(*run, {.kind = StopKind::allocationFails}, *found, true));
}

TEST_CASE("a plan beyond its capacity fails where it crosses it", "[until]") {
  //  12 |   b b         capacity 10
  //   8 | a a a
  auto run = std::make_shared<Run>(*runOf(test::problemOf({{8, 0, 3}, {4, 1, 3}}), "in-order"));
  CHECK_FALSE(findStop(*run, {.kind = StopKind::allocationFails}, {}, true));
  run->problem.pools[PoolId(0)].capacity = Bytes(10);
  const auto found = findStop(*run, {.kind = StopKind::allocationFails}, {}, true);
  REQUIRE(found);
  CHECK(found->step == Step(1));
  CHECK(run->trace.event(found->moment - 1).stay == StayId(1));
  CHECK(findStop(*run, {.kind = StopKind::allocationFails}, {run->trace.size(), Step(3)}, false) ==
        found);
}
