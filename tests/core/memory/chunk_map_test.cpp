#include "core/memory/chunk_map.h"

#include <catch2/catch.hpp>

#include "tests/support/memory_script.h"

using namespace hw;
using hw::test::MemoryModel;
using hw::test::MemoryScript;

namespace {

void compare(const ChunkMap& map, const MemoryModel& model) {
  Bytes footprint;
  Bytes inUse;
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.regions.size(); ++i) {
    const RegionId region(i);
    REQUIRE(map.chunks(region) == model.regions[i]);
    REQUIRE(map.regionSize(region) == model.size(i));
    REQUIRE(map.chunkAt(region, model.size(i)) == std::nullopt);
    REQUIRE(map.lastChunk(region).has_value() == !model.regions[i].empty());
    footprint += model.size(i);
    for (const Chunk& chunk : model.regions[i]) {
      REQUIRE(map.chunkAt(region, chunk.offset) == chunk);
      REQUIRE(map.chunkAt(region, chunk.end() - Bytes(1)) == chunk);
      inUse += chunk.isFree() ? Bytes() : chunk.size;
      ++count;
    }
    if (!model.regions[i].empty()) REQUIRE(map.lastChunk(region) == model.regions[i].back());
  }
  REQUIRE(map.footprint() == footprint);
  REQUIRE(map.inUse() == inUse);
  REQUIRE(map.chunkCount() == count);
}

}  // namespace

TEST_CASE("a chunk map does what the obvious model does, and undoes it", "[memory][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{13}));
  const std::size_t regions = seed % 3 == 0 ? 200 : seed % 3;
  CAPTURE(seed, regions);
  MemoryScript script(seed, std::max<std::size_t>(1, regions));
  ChunkMap map;
  std::vector<MemoryEvent> story;
  std::vector<ChunkMap> states{map};
  for (int i = 0; i < 4'000; ++i) {
    story.push_back(script.next());
    map.apply(story.back());
    if (i % 100 == 0) compare(map, script.model);
    if (i % 100 == 99) states.push_back(map);
  }
  compare(map, script.model);

  std::vector<ChunkMap::Boundary> boundaries;
  std::vector<Bytes> sizes;
  map.pack(boundaries, sizes);
  REQUIRE(boundaries.size() == map.chunkCount());
  ChunkMap unpacked = ChunkMap::unpack({boundaries, sizes});
  REQUIRE(unpacked == map);
  compare(unpacked, script.model);

  // Walking back passes through the same states, whichever way memory is cut into blocks.
  for (std::size_t left = story.size(); left > 0; --left) {
    if (left % 100 == 0) {
      REQUIRE(map == states[left / 100]);
      REQUIRE(unpacked == states[left / 100]);
    }
    map.revert(story[left - 1]);
    unpacked.revert(story[left - 1]);
  }
  CHECK(map == ChunkMap());
  CHECK(unpacked == ChunkMap());
  CHECK(map.regionCount() == 0);
}

TEST_CASE("chunk maps with different content are not equal", "[memory]") {
  const MemoryEvent grow{.offset = Bytes(), .size = Bytes(8), .region = RegionId(0)};
  ChunkMap one;
  one.apply(grow);
  ChunkMap other = one;
  CHECK(one == other);
  other.apply(
      {.offset = Bytes(4), .size = Bytes(4), .region = RegionId(0), .kind = EventKind::split});
  CHECK_FALSE(one == other);
  ChunkMap elsewhere;
  elsewhere.apply({.offset = Bytes(), .size = Bytes(8), .region = RegionId(1)});
  CHECK_FALSE(one == elsewhere);
  CHECK(elsewhere.regionCount() == 2);
  CHECK(elsewhere.chunks(RegionId(0)).empty());
}

TEST_CASE("thousands of one-chunk regions come and go", "[memory]") {
  ChunkMap map;
  std::vector<MemoryEvent> story;
  const auto play = [&](const MemoryEvent& event) {
    story.push_back(event);
    map.apply(event);
  };
  for (std::size_t i = 0; i < 5'000; ++i) {
    const RegionId region((i * 7) % 5'000);  // Not in order: every insertion is in the middle.
    play({.size = Bytes(16), .stay = StayId(i), .region = region, .kind = EventKind::extend});
    play({.size = Bytes(16), .stay = StayId(i), .region = region, .kind = EventKind::alloc});
  }
  CHECK(map.chunkCount() == 5'000);
  CHECK(map.footprint() == Bytes(80'000));
  CHECK(map.chunkAt(RegionId(21), Bytes(15)) == Chunk{Bytes(), Bytes(16), StayId(3)});
  for (auto event = story.rbegin(); event != story.rend(); ++event) map.revert(*event);
  CHECK(map == ChunkMap());
}
