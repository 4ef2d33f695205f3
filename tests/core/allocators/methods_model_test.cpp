// docs/methods.md §1 and §4 once more, written down as plainly as they read there, and compared
// with the allocators on thousands of problems.
#include <algorithm>
#include <deque>

#include "core/allocators/catalog.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// §4 for one level: the free list, a vector in address order, and the frontier.
struct Level {
  struct Free {
    std::int64_t at;
    std::int64_t size;
  };
  std::int64_t capacity = 0;
  std::int64_t frontier = 0;
  std::vector<Free> free{};

  std::int64_t allocate(std::int64_t n, std::int64_t threshold, bool best) {
    if (n > threshold && !free.empty()) {
      for (auto block = free.begin(); block != free.end(); ++block) {
        if (block->size != n) continue;
        const std::int64_t at = block->at;
        free.erase(block);
        return at;
      }
      Free* larger = nullptr;
      for (Free& block : free) {
        if (block.size <= n) continue;
        if (!larger || (best ? block.size < larger->size : block.size > larger->size)) {
          larger = &block;
        }
      }
      if (larger) {
        larger->at += n;
        larger->size -= n;
        return larger->at - n;
      }
      auto largest = free.begin();
      for (auto block = free.begin(); block != free.end(); ++block) {
        if (block->size >= largest->size) largest = block;
      }
      if (largest->at + largest->size == frontier && largest->at + n <= capacity) {
        const std::int64_t at = largest->at;
        frontier = at + n;
        free.erase(largest);
        return at;
      }
    }
    if (frontier + n > capacity) return -1;
    frontier += n;
    return frontier - n;
  }

  void release(std::int64_t at, std::int64_t size) {
    const auto above = std::ranges::find_if(free, [&](const Free& block) { return block.at > at; });
    auto block = free.insert(above, {at, size});
    if (const auto next = std::next(block); next != free.end() && next->at == at + size) {
      block->size += next->size;
      block = std::prev(free.erase(next));
    }
    if (block == free.begin()) return;
    const auto before = std::prev(block);
    if (before->at + before->size != block->at) return;
    before->size += block->size;
    free.erase(block);
  }
};

/// (level, offset) of every stay as far as memory lasts; level -1: not reached, or out of memory.
std::vector<std::pair<int, std::int64_t>> freeListByTheBook(const Problem& problem,
                                                            std::int64_t threshold, bool best) {
  std::vector<Level> levels(problem.pools.size());
  for (const PoolId pool : problem.pools.keys()) {
    levels[pool.index()].capacity = problem.pools[pool].capacity.value_or(Bytes(1'000'000)).count();
  }
  std::vector<std::pair<int, std::int64_t>> places(problem.stays.size(), {-1, -1});
  for (std::int64_t step = 0; step < problem.steps.count(); ++step) {
    for (const StayId id : problem.stays.keys()) {
      const Stay& stay = problem.stays[id];
      if (stay.steps.begin != Step(step)) continue;
      auto& [level, at] = places[id.index()];
      for (std::size_t i = 0; i < levels.size() && level < 0; ++i) {
        at = levels[i].allocate(stay.size.count(), threshold, best);
        if (at >= 0) level = static_cast<int>(i);
      }
      if (level < 0) return places;
    }
    for (const StayId id : problem.stays.keys()) {
      const Stay& stay = problem.stays[id];
      if (stay.steps.end != Step(step + 1)) continue;
      const auto& [level, at] = places[id.index()];
      levels[static_cast<std::size_t>(level)].release(at, stay.size.count());
    }
  }
  return places;
}

/// §1: the id of every stay, and the capacities.
struct Blocks {
  std::vector<std::size_t> ids{};
  std::vector<std::int64_t> capacities{};
};

std::size_t pickBest(const std::deque<std::size_t>& idle, const Blocks& blocks, std::int64_t n) {
  std::size_t found = idle.size();
  for (std::size_t i = 0; i < idle.size(); ++i) {
    const std::int64_t here = blocks.capacities[idle[i]];
    if (here >= n && (found == idle.size() || here < blocks.capacities[idle[found]])) found = i;
  }
  if (found < idle.size()) return found;
  found = 0;
  for (std::size_t i = 1; i < idle.size(); ++i) {
    if (blocks.capacities[idle[i]] > blocks.capacities[idle[found]]) found = i;
  }
  return found;
}

Blocks blockIdsByTheBook(const Problem& problem, const std::string& pick) {
  Blocks blocks{.ids = std::vector<std::size_t>(problem.stays.size())};
  std::deque<std::size_t> idle;
  for (std::int64_t step = 0; step < problem.steps.count(); ++step) {
    for (const StayId id : problem.stays.keys()) {
      const Stay& stay = problem.stays[id];
      if (stay.steps.begin != Step(step)) continue;
      std::size_t block = blocks.capacities.size();
      if (idle.empty()) {
        blocks.capacities.push_back(0);
      } else {
        const std::size_t at = pick == "fifo"   ? 0
                               : pick == "lifo" ? idle.size() - 1
                                                : pickBest(idle, blocks, stay.size.count());
        block = idle[at];
        idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(at));
      }
      blocks.ids[id.index()] = block;
      blocks.capacities[block] = std::max(blocks.capacities[block], stay.size.count());
    }
    for (const StayId id : problem.stays.keys()) {
      if (problem.stays[id].steps.end == Step(step + 1)) idle.push_back(blocks.ids[id.index()]);
    }
  }
  return blocks;
}

}  // namespace

TEST_CASE("free-list does what docs/methods.md says, rule by rule", "[methods]") {
  int spilled = 0;
  int failed = 0;
  for (const std::uint64_t seed : test::Seeds(3'000)) {
    test::Dice dice(seed);
    Problem problem =
        test::randomProblem(seed, {.stays = static_cast<std::size_t>(dice.roll(2, 40)),
                                   .steps = dice.roll(2, 20),
                                   .maxSize = dice.chance(50) ? 6 : 60,
                                   .pools = 2});
    if (dice.chance(60)) problem.pools[PoolId(0)].capacity = Bytes(dice.roll(20, 300));
    if (dice.chance(40)) problem.pools[PoolId(1)].capacity = Bytes(dice.roll(20, 300));
    const std::int64_t threshold = dice.chance(50) ? 0 : dice.roll(1, 20);
    const bool best = dice.chance(50);
    const auto choice = AllocatorChoice::parse("free-list:threshold=" + std::to_string(threshold) +
                                               (best ? ",pick=best" : ",pick=largest"));
    CAPTURE(choice->text());
    const auto plan = test::must(choice->make()->plan(problem, {}));
    const auto expected = freeListByTheBook(problem, threshold, best);
    for (const StayId id : problem.stays.keys()) {
      const auto& address = plan.addresses[id];
      const auto& [level, at] = expected[id.index()];
      REQUIRE(address.has_value() == (level >= 0));
      if (!address) continue;
      REQUIRE(address->pool == PoolId(static_cast<std::size_t>(level)));
      REQUIRE(address->offset == Bytes(at));
      spilled += level;
    }
    failed += plan.outOfMemory ? 1 : 0;
  }
  CHECK(spilled > 1'000);
  CHECK(failed > test::atLeast(100));
}

TEST_CASE("block-id does what docs/methods.md says, whichever block it picks", "[methods]") {
  for (const std::uint64_t seed : test::Seeds(2'000)) {
    test::Dice dice(seed);
    const Problem problem =
        test::randomProblem(seed, {.stays = static_cast<std::size_t>(dice.roll(2, 40)),
                                   .steps = dice.roll(2, 20),
                                   .maxSize = dice.chance(50) ? 6 : 60});
    const std::string pick = dice.chance(33) ? "fifo" : dice.chance(50) ? "lifo" : "best";
    CAPTURE(pick);
    const auto plan =
        test::must(AllocatorChoice::parse("block-id:pick=" + pick)->make()->plan(problem, {}));
    const Blocks expected = blockIdsByTheBook(problem, pick);
    for (const StayId id : problem.stays.keys()) {
      REQUIRE(plan.addresses[id]->region == RegionId(expected.ids[id.index()]));
    }
    const auto& regions = plan.regions[PoolId(0)];
    REQUIRE(regions.size() == expected.capacities.size());
    for (const RegionId id : regions.keys()) {
      REQUIRE(regions[id] == Bytes(expected.capacities[id.index()]));
    }
  }
}
