#include "core/trace/genealogy.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/allocators/catalog.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

struct Told {
  Problem problem;
  Plan plan;
  Trace trace;
  std::vector<TimelineEntry> timeline;
};

Told tell(const Problem& problem, std::string_view allocator) {
  Told told{.problem = problem, .plan = {}, .trace = {}, .timeline = {}};
  told.plan = AllocatorChoice::parse(allocator)->make()->plan(problem, {}).value();
  Trace::Builder builder(problem.pools.size());
  std::int64_t time = 0;
  for (const MemoryEvent& event : told.plan.story) builder.add(SimTime(time++), event);
  told.trace = std::move(builder).finish();
  told.timeline = describe(told.plan.story, problem.pools.size());
  return told;
}

/// The chunk around the byte after every entry, each looked up afresh.
std::vector<std::optional<Chunk>> chunksOf(const Told& told, const ByteAddress& byte) {
  std::vector<std::optional<Chunk>> chunks;
  for (const TimelineEntry& entry : told.timeline) {
    const MemoryState state = told.trace.stateAfter(entry.lastEvent);
    chunks.push_back(state[byte.pool].chunkAt(byte.region, byte.offset));
  }
  return chunks;
}

ByteAddress randomByte(test::Dice& dice, const Told& told) {
  const PoolId pool(static_cast<std::size_t>(
      dice.roll(0, static_cast<std::int64_t>(told.problem.pools.size()) - 1)));
  const auto& regions = told.plan.regions[pool];
  if (regions.size() == 0) return {pool, RegionId(0), Bytes()};
  const RegionId region(
      static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(regions.size()) - 1)));
  return {pool, region, Bytes(dice.roll(0, regions[region].count()))};
}

}  // namespace

TEST_CASE("the genealogy of a byte is what every moment says of it", "[genealogy]") {
  const char* allocators[] = {"free-list", "greedy-by-size", "block-id", "two-sided", "best"};
  for (const std::uint64_t seed : test::Seeds(80)) {
    test::Dice dice(seed);
    const bool gaps = seed % 5 == 1;
    const Problem problem = test::randomProblem(
        seed, {.stays = 10 + seed % 40, .steps = 25, .gapPercent = gaps ? 25 : 0});
    const Told told = tell(problem, allocators[seed % 5]);
    for (int i = 0; i < 8; ++i) {
      const ByteAddress byte = randomByte(dice, told);
      const auto eras = genealogy(told.trace, told.timeline, byte);
      const auto chunks = chunksOf(told, byte);
      std::vector<std::optional<Chunk>> painted(chunks.size());
      std::size_t before = 0;
      for (const ByteEra& era : eras) {
        REQUIRE(era.firstMoment >= before);
        REQUIRE(era.endMoment > era.firstMoment);
        before = era.endMoment;
        CHECK(era.firstStep <= era.lastStep);
        CHECK(told.timeline[era.entry].lastEvent == era.firstMoment);
        for (std::size_t k = 0; k < chunks.size(); ++k) {
          const std::size_t moment = told.timeline[k].lastEvent;
          if (moment >= era.firstMoment && moment < era.endMoment) painted[k] = era.chunk;
        }
      }
      REQUIRE(painted == chunks);
      // As few eras as there are changes.
      for (std::size_t k = 1; k < eras.size(); ++k) {
        const bool joined = eras[k - 1].endMoment == eras[k].firstMoment;
        CHECK((!joined || !(eras[k - 1].chunk == eras[k].chunk)));
      }
    }
  }
}

TEST_CASE("the tenants of a byte are the stays that cover it, in time", "[genealogy]") {
  for (const std::uint64_t seed : test::Seeds(60)) {
    test::Dice dice(seed);
    const Problem problem = test::randomProblem(seed, {.stays = 30, .steps = 25});
    const Told told = tell(problem, seed % 2 == 0 ? "free-list" : "greedy-by-size");
    const ByteAddress byte = randomByte(dice, told);
    std::vector<StayId> expected;
    for (const StayId stay : problem.stays.keys()) {
      const auto& address = told.plan.addresses[stay];
      if (!address || address->pool != byte.pool || address->region != byte.region) continue;
      const bool covers = address->offset <= byte.offset &&
                          byte.offset < address->offset + problem.stays[stay].size;
      if (covers) expected.push_back(stay);
    }
    std::ranges::sort(expected, {}, [&](StayId stay) { return problem.stays[stay].steps.begin; });
    std::vector<StayId> tenants;
    for (const ByteEra& era : genealogy(told.trace, told.timeline, byte)) {
      if (era.chunk.owner) tenants.push_back(era.chunk.owner);
    }
    CHECK(tenants == expected);
  }
}

TEST_CASE("a byte sees splits and merges of the hole it lies in", "[genealogy]") {
  //  12 |   b b d
  //   8 | a a c e e     byte 2: a, then the hole of a, then part of c's hole ...
  const Problem problem = test::problemOf({{8, 0, 2}, {4, 1, 3}, {3, 2, 4}});
  const Told told = tell(problem, "free-list");
  const auto eras = genealogy(told.trace, told.timeline, {PoolId(0), RegionId(0), Bytes(5)});
  REQUIRE(eras.size() >= 3);
  CHECK(eras[0].happening == Happening::fresh);
  CHECK(eras[0].chunk.owner == StayId(0));
  CHECK(eras[1].happening == Happening::release);
  CHECK(eras[1].chunk.isFree());
  CHECK(eras[1].chunk.size == Bytes(8));
  // c takes [0, 3) of the hole: what is left of it is the byte's.
  CHECK(eras[2].happening == Happening::split);
  CHECK(eras[2].cause == StayId(2));
  CHECK(eras[2].chunk.isFree());
  CHECK(eras[2].chunk.offset == Bytes(3));
}
