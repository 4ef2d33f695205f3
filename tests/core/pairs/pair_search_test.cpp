#include "core/pairs/pair_search.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/pairs/pair_bound.h"
#include "core/pairs/pair_placer.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// Two blocks that share bytes pay so much, or must not: 0.
struct DrawnPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::int64_t cost = 0;
};

PairModel modelOf(const std::vector<std::int64_t>& sizes, const std::vector<DrawnPair>& pairs) {
  PairModel model;
  for (const std::int64_t size : sizes) model.blocks.push_back({.size = Bytes(size)});
  model.conflicts.resize(sizes.size());
  model.penalties.resize(sizes.size());
  const auto add = [&](std::uint32_t block, std::uint32_t other, std::int64_t cost) {
    const PairModel::Apart apart{
        .other = other, .below = Bytes(sizes[block]), .above = Bytes(sizes[other])};
    if (cost == 0) model.conflicts[block].push_back(apart);
    if (cost != 0) model.penalties[block].push_back({.apart = apart, .cost = cost});
  };
  for (const DrawnPair& pair : pairs) {
    add(pair.first, pair.second, pair.cost);
    add(pair.second, pair.first, pair.cost);
  }
  for (auto& list : model.conflicts) std::ranges::sort(list, {}, &PairModel::Apart::other);
  for (auto& list : model.penalties) {
    std::ranges::sort(list, {}, [](const PairModel::Penalty& entry) { return entry.apart.other; });
  }
  return model;
}

struct PairShape {
  std::int64_t blocks = 12;
  std::int64_t maxSize = 20;
  int conflictPercent = 40;
  int penaltyPercent = 40;
  bool odd = false;  ///< Alignments, reserved ranges, fixed blocks, distances of merged stays.
};

void makeOdd(PairModel& model, test::Dice& dice) {
  for (PairModel::Block& block : model.blocks) {
    if (dice.chance(40)) block.alignment = Bytes(std::int64_t{1} << dice.roll(1, 4));
  }
  if (dice.chance(50)) model.reserved = {{Bytes(7), Bytes(9)}, {Bytes(30), Bytes(33)}};
  if (dice.chance(50)) model.blocks[0].fixed = model.blocks[0].alignment * 3 + 48_B;
  if (dice.chance(50)) return;
  for (std::uint32_t block = 0; block < model.blocks.size(); ++block) {
    for (PairModel::Apart& apart : model.conflicts[block]) {
      if (apart.other < block || !dice.chance(20)) continue;
      // Stays of the two that conflict may be smaller than the blocks, or lie further in.
      apart.below = Bytes(dice.roll(1, apart.below.count()));
      apart.above = Bytes(dice.roll(1, apart.above.count()));
      for (PairModel::Apart& back : model.conflicts[apart.other]) {
        if (back.other != block) continue;
        back.below = apart.above;
        back.above = apart.below;
      }
    }
  }
}

PairModel randomModel(test::Dice& dice, const PairShape& shape) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < shape.blocks; ++i) sizes.push_back(dice.roll(1, shape.maxSize));
  std::vector<DrawnPair> pairs;
  for (std::uint32_t second = 0; second < sizes.size(); ++second) {
    for (std::uint32_t first = 0; first < second; ++first) {
      if (dice.chance(shape.conflictPercent)) {
        pairs.push_back({.first = first, .second = second});
      } else if (dice.chance(shape.penaltyPercent)) {
        pairs.push_back({.first = first, .second = second, .cost = dice.roll(1, 9)});
      }
    }
  }
  PairModel model = modelOf(sizes, pairs);
  if (shape.odd) makeOdd(model, dice);
  return model;
}

bool naiveApart(std::int64_t mine, std::int64_t others, const PairModel::Apart& apart) {
  return mine + apart.below.count() <= others || others + apart.above.count() <= mine;
}

/// Pair by pair and byte by byte.
bool naiveRespects(const PairModel& model, const std::vector<Bytes>& offsets) {
  if (offsets.size() != model.blocks.size()) return false;
  for (std::size_t block = 0; block < offsets.size(); ++block) {
    const PairModel::Block& asked = model.blocks[block];
    const std::int64_t at = offsets[block].count();
    if (at < 0 || at % asked.alignment.count() != 0) return false;
    if (asked.fixed && *asked.fixed != offsets[block]) return false;
    for (const Interval<Bytes>& range : model.reserved) {
      if (at < range.end.count() && range.begin.count() < at + asked.size.count()) return false;
    }
    for (const PairModel::Apart& apart : model.conflicts[block]) {
      if (!naiveApart(at, offsets[apart.other].count(), apart)) return false;
    }
  }
  return true;
}

std::int64_t naiveCost(const PairModel& model, const std::vector<Bytes>& offsets) {
  std::int64_t twice = 0;
  for (std::size_t block = 0; block < offsets.size(); ++block) {
    for (const PairModel::Penalty& penalty : model.penalties[block]) {
      const std::int64_t others = offsets[penalty.apart.other].count();
      if (!naiveApart(offsets[block].count(), others, penalty.apart)) twice += penalty.cost;
    }
  }
  return twice / 2;
}

Bytes naivePeak(const PairModel& model, const std::vector<Bytes>& offsets) {
  Bytes peak;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    peak = std::max(peak, offsets[i] + model.blocks[i].size);
  }
  return peak;
}

void requireHonest(const PairModel& model, const PairPlan& plan) {
  REQUIRE(naiveRespects(model, plan.offsets));
  REQUIRE(plan.cost == naiveCost(model, plan.offsets));
  REQUIRE(plan.peak == naivePeak(model, plan.offsets));
  REQUIRE(plan.fits == (!model.capacity || plan.peak <= *model.capacity));
}

/// Calls `visit` with all offsets below `ceiling` that respect the model.
template <class Visit>
void visitAll(const PairModel& model, std::int64_t ceiling, const Visit& visit) {
  std::vector<Bytes> offsets(model.blocks.size());
  const auto place = [&](const auto& self, std::size_t block) -> void {
    if (block == offsets.size()) return visit(offsets);
    for (std::int64_t at = 0; at + model.blocks[block].size.count() <= ceiling; ++at) {
      offsets[block] = Bytes(at);
      const auto& conflicts = model.conflicts[block];
      if (std::ranges::all_of(conflicts, [&](const PairModel::Apart& apart) {
            return apart.other > block || naiveApart(at, offsets[apart.other].count(), apart);
          })) {
        self(self, block + 1);
      }
    }
  };
  place(place, 0);
}

/// Places of a block, found by trying every offset.
struct NaivePlaces {
  std::int64_t lowest = PairPlacer::kNowhere;
  std::int64_t highest = PairPlacer::kNowhere;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< Cost of the cheapest.
};

/// The cost of one offset; nothing where the block may not be. With prices a conflict costs 1.
std::optional<std::int64_t> naivePlaceCost(const PairModel& model, const PairPlacer& placer,
                                           std::uint32_t block, std::int64_t at, bool hasPrices) {
  const auto met = [&](const PairModel::Apart& apart) {
    return placer.isPlaced(apart.other) && !naiveApart(at, placer.offset(apart.other), apart);
  };
  if (at % model.blocks[block].alignment.count() != 0) return {};
  for (const Interval<Bytes>& range : model.reserved) {
    if (range.overlaps({Bytes(at), Bytes(at + placer.size(block))})) return {};
  }
  std::int64_t cost = 0;
  for (const PairModel::Apart& apart : model.conflicts[block]) {
    if (!met(apart)) continue;
    if (!hasPrices || placer.isFixed(apart.other)) return {};
    cost += 1;
  }
  for (const PairModel::Penalty& penalty : model.penalties[block]) {
    if (!hasPrices && met(penalty.apart)) cost += penalty.cost;
  }
  return cost;
}

NaivePlaces naivePlaces(const PairModel& model, const PairPlacer& placer, std::uint32_t block,
                        bool hasPrices) {
  NaivePlaces places;
  for (std::int64_t at = 0; at + placer.size(block) <= placer.ceiling(); ++at) {
    const auto cost = naivePlaceCost(model, placer, block, at, hasPrices);
    if (!cost) continue;
    places.least = std::min(places.least, *cost);
    places.highest = at;
    if (places.lowest == PairPlacer::kNowhere) places.lowest = at;
  }
  return places;
}

PairOptions withNodes(std::int64_t nodes, std::uint64_t seed = 1) {
  return {.limits = {.nodes = nodes, .seed = seed}};
}

/// Weight of the heaviest clique, by trying all.
std::int64_t heaviestClique(const PairModel& model) {
  const std::size_t count = model.blocks.size();
  std::vector<std::vector<char>> conflict(count, std::vector<char>(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    for (const PairModel::Apart& apart : model.conflicts[i]) conflict[i][apart.other] = 1;
  }
  std::int64_t best = 0;
  const auto grow = [&](const auto& self, const std::vector<std::size_t>& left,
                        std::int64_t weight) -> void {
    best = std::max(best, weight);
    std::int64_t rest = 0;
    for (const std::size_t i : left) rest += model.blocks[i].size.count();
    for (std::size_t i = 0; i < left.size() && weight + rest > best; ++i) {
      std::vector<std::size_t> next;
      for (std::size_t j = i + 1; j < left.size(); ++j) {
        if (conflict[left[i]][left[j]] != 0) next.push_back(left[j]);
      }
      const std::int64_t size = model.blocks[left[i]].size.count();
      self(self, next, weight + size);
      rest -= size;
    }
  };
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  grow(grow, all, 0);
  return best;
}

struct FamilyShape {
  std::uint32_t blocks = 40;
  std::int64_t maxSize = 64;
};

template <class Conflict>
PairModel modelWhere(test::Dice& dice, const FamilyShape& shape, const Conflict& conflict) {
  const std::uint32_t count = shape.blocks;
  std::vector<std::int64_t> sizes;
  for (std::uint32_t i = 0; i < count; ++i) sizes.push_back(dice.roll(1, shape.maxSize));
  std::vector<DrawnPair> pairs;
  for (std::uint32_t second = 0; second < count; ++second) {
    for (std::uint32_t first = 0; first < second; ++first) {
      if (conflict(first, second)) pairs.push_back({.first = first, .second = second});
    }
  }
  return modelOf(sizes, pairs);
}

/// Blocks of operators in nested forks and joins: a block begins at one and ends at a later one.
PairModel forkJoinModel(test::Dice& dice, const FamilyShape& shape) {
  const std::size_t operators = shape.blocks * 3 / 5;
  std::vector<std::vector<char>> before(operators, std::vector<char>(operators, 0));
  const auto split = [&](const auto& self, std::size_t first, std::size_t last) -> void {
    if (last - first < 2) return;
    const auto middle = static_cast<std::size_t>(
        dice.roll(static_cast<std::int64_t>(first) + 1, static_cast<std::int64_t>(last) - 1));
    const bool isRow = dice.chance(55);
    for (std::size_t a = first; a < middle; ++a) {
      for (std::size_t b = middle; b < last; ++b) before[a][b] = isRow ? 1 : 0;
    }
    self(self, first, middle);
    self(self, middle, last);
  };
  split(split, 0, operators);
  const auto lastOperator = static_cast<std::int64_t>(operators) - 1;
  std::vector<std::size_t> begins;
  std::vector<std::size_t> ends;
  for (std::uint32_t i = 0; i < shape.blocks; ++i) {
    begins.push_back(static_cast<std::size_t>(dice.roll(0, lastOperator)));
    ends.push_back(begins.back());
    const auto later = static_cast<std::size_t>(dice.roll(0, lastOperator));
    if (before[ends.back()][later] != 0 && dice.chance(50)) ends.back() = later;
  }
  return modelWhere(dice, shape, [&](std::uint32_t a, std::uint32_t b) {
    return before[ends[a]][begins[b]] == 0 && before[ends[b]][begins[a]] == 0;
  });
}

/// Threads that wait for each other at the end of each phase; a block is of one thread.
PairModel barrierModel(test::Dice& dice, const FamilyShape& shape) {
  constexpr std::int64_t kPhase = 4;
  std::vector<std::int64_t> threads;
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  for (std::uint32_t i = 0; i < shape.blocks; ++i) {
    threads.push_back(dice.roll(0, 2));
    begins.push_back(dice.roll(0, shape.blocks / 8 * kPhase - 1));
    ends.push_back(begins.back() + dice.roll(0, 4));
  }
  const auto isBefore = [&](std::uint32_t a, std::uint32_t b) {
    const bool isInThread = threads[a] == threads[b] && ends[a] < begins[b];
    return isInThread || ends[a] / kPhase < begins[b] / kPhase;
  };
  return modelWhere(dice, shape, [&](std::uint32_t a, std::uint32_t b) {
    return !isBefore(a, b) && !isBefore(b, a);
  });
}

/// Arcs of a circle of steps: a loop that runs for ever.
PairModel ringModel(test::Dice& dice, const FamilyShape& shape) {
  const std::int64_t steps = shape.blocks;
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> lengths;
  for (std::uint32_t i = 0; i < shape.blocks; ++i) {
    begins.push_back(dice.roll(0, steps - 1));
    lengths.push_back(dice.roll(1, dice.chance(20) ? 20 : 6));
  }
  const auto holds = [&](std::uint32_t arc, std::int64_t step) {
    return (step - begins[arc] + steps) % steps < lengths[arc];
  };
  return modelWhere(dice, shape, [&](std::uint32_t a, std::uint32_t b) {
    return holds(a, begins[b]) || holds(b, begins[a]);
  });
}

}  // namespace

TEST_CASE("places of a block are those that looking at every offset finds", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    const PairModel model = randomModel(dice, {.odd = seed % 2 == 0});
    const bool hasPrices = seed % 3 == 0;
    PairPlacer placer(model, hasPrices ? PairPlacer::Heeds::prices : PairPlacer::Heeds::penalties);
    placer.setCeiling(150);
    SmallDice random(seed);
    for (int turn = 0; turn < 60; ++turn) {
      const std::uint32_t block = random.below(placer.count());
      if (placer.isFixed(block)) continue;
      placer.take(block);
      const NaivePlaces places = naivePlaces(model, placer, block, hasPrices);
      const bool isNowhere = places.lowest == PairPlacer::kNowhere;
      if (!hasPrices) {
        REQUIRE(placer.lowest(block) == places.lowest);
        REQUIRE(placer.highest(block) == places.highest);
        REQUIRE((placer.tightest(block) == PairPlacer::kNowhere) == isNowhere);
      }
      const PairPlacer::Place place = placer.cheapest(block, random);
      REQUIRE((place.offset == PairPlacer::kNowhere) == isNowhere);
      if (isNowhere) continue;
      REQUIRE(place.cost == places.least);
      placer.put(block, place.offset);
      if (!hasPrices) REQUIRE(placer.pay(block) == places.least);
    }
  }
}

TEST_CASE("plans of pairs keep all rules and tell their cost", "[pairs]") {
  int fitting = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    test::Dice dice(seed);
    PairModel model = randomModel(
        dice, {.blocks = dice.roll(1, 40), .conflictPercent = 25, .odd = seed % 2 == 0});
    if (dice.chance(80)) model.capacity = Bytes(dice.roll(40, 250));
    const PairPlan lowest = searchLowestPeak(model, withNodes(2'000, seed));
    requireHonest(model, lowest);
    PairOptions options = withNodes(4'000, seed);
    PairSample last;
    options.improved = [&](const PairSample& sample) {
      REQUIRE(last.nodes <= sample.nodes);
      if (last.fits) REQUIRE((sample.fits && sample.cost < last.cost));
      last = sample;
    };
    const PairPlan plan = searchLeastPenalty(model, {}, options);
    requireHonest(model, plan);
    REQUIRE(plan.fits >= lowest.fits);
    REQUIRE(last.cost == plan.cost);
    if (!plan.fits) continue;
    ++fitting;
    const PairPlan better = searchLeastPenalty(model, plan.offsets, withNodes(100, seed));
    requireHonest(model, better);
    REQUIRE(better.cost <= plan.cost);
  }
  REQUIRE(fitting >= test::atLeast(60));
}

TEST_CASE("small models come to the least that any plan has", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(150)) {
    test::Dice dice(seed);
    PairModel model = randomModel(
        dice,
        {.blocks = dice.roll(3, 5), .maxSize = 5, .conflictPercent = 50, .penaltyPercent = 80});
    Bytes peak = 13_B;
    visitAll(model, 12, [&](const std::vector<Bytes>& offsets) {
      peak = std::min(peak, naivePeak(model, offsets));
    });
    if (peak > 12_B) continue;
    REQUIRE(searchLowestPeak(model, withNodes(2'000)).peak == peak);
    model.capacity = std::min(12_B, peak + Bytes(dice.roll(0, 3)));
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    visitAll(model, model.capacity->count(), [&](const std::vector<Bytes>& offsets) {
      least = std::min(least, naiveCost(model, offsets));
    });
    const PairPlan plan = searchLeastPenalty(model, {}, withNodes(5'000));
    requireHonest(model, plan);
    REQUIRE(plan.fits);
    REQUIRE(plan.cost == least);
  }
}

TEST_CASE("searches over pairs repeat by seed and nodes", "[pairs]") {
  test::Dice dice(7);
  PairModel model = randomModel(dice, {.blocks = 40, .conflictPercent = 20});
  model.capacity = searchLowestPeak(model, withNodes(20'000)).peak + 5_B;
  const PairPlan one = searchLeastPenalty(model, {}, withNodes(20'000, 3));
  const PairPlan again = searchLeastPenalty(model, {}, withNodes(20'000, 3));
  const PairPlan other = searchLeastPenalty(model, {}, withNodes(20'000, 4));
  REQUIRE(one.offsets == again.offsets);
  REQUIRE(one.nodes == again.nodes);
  REQUIRE(one.offsets != other.offsets);
  const PairPlan low = searchLowestPeak(model, withNodes(20'000, 3));
  REQUIRE(low.offsets == searchLowestPeak(model, withNodes(20'000, 3)).offsets);
}

TEST_CASE("conflicts of forks, barriers and rings come to their heaviest clique", "[pairs]") {
  for (const auto& family : {forkJoinModel, barrierModel, ringModel}) {
    int met = 0;
    const auto rounds = test::rounds(30);
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
      test::Dice dice(seed);
      const PairModel model = family(dice, {});
      const Bytes bound(heaviestClique(model));
      PairOptions options = withNodes(20'000, seed);
      options.peakBound = bound;
      const PairPlan plan = searchLowestPeak(model, options);
      requireHonest(model, plan);
      REQUIRE(plan.peak >= bound);
      if (plan.peak == bound) ++met;
    }
    CHECK(met >= test::atLeast(29));
  }
}

TEST_CASE("many blocks slide down to their heaviest clique", "[pairs]") {
  for (const auto& family : {forkJoinModel, barrierModel, ringModel}) {
    int met = 0;
    const auto rounds = test::rounds(10);
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
      test::Dice dice(seed);
      const PairModel model = family(dice, {.blocks = 300, .maxSize = 100'000});
      PairOptions options = withNodes(60'000, seed);
      options.peakBound = heaviestClique(model, PairLimits{.nodes = 300'000}).bytes;
      const PairPlan plan = searchLowestPeak(model, options);
      requireHonest(model, plan);
      REQUIRE(plan.peak >= options.peakBound);
      if (plan.peak == options.peakBound) ++met;
    }
    CHECK(met >= test::atLeast(7));
  }
}

// Below: 0 (of 3 bytes) at 2 and 1 (of 2 bytes) at 6; block 2 of 1 byte must be apart from both.
//
//   offset  0 1 2 3 4 5 6 7 8
//               0 0 0   1 1
TEST_CASE("rules of placing choose different gaps", "[pairs]") {
  const PairModel model = modelOf({3, 2, 1}, {{0, 2}, {1, 2}});
  PairPlacer placer(model, PairPlacer::Heeds::conflicts);
  placer.setCeiling(12);
  placer.put(0, 2);
  placer.put(1, 6);
  REQUIRE(placer.lowest(2) == 0);
  REQUIRE(placer.tightest(2) == 5);
  REQUIRE(placer.stacked(2) == 8);
  REQUIRE(placer.highest(2) == 11);
  placer.setCeiling(8);
  REQUIRE(placer.stacked(2) == PairPlacer::kNowhere);
}

// Of three blocks of 4, all apart, two fit.
TEST_CASE("where nothing fits the lowest plan is told", "[pairs]") {
  PairModel model = modelOf({4, 4, 4}, {{0, 1}, {0, 2}, {1, 2}});
  model.capacity = 8_B;
  const PairPlan plan = searchLeastPenalty(model, {}, withNodes(1'000));
  requireHonest(model, plan);
  REQUIRE_FALSE(plan.fits);
  REQUIRE(plan.peak == 12_B);
}

TEST_CASE("fixed blocks in each other's way have no plan", "[pairs]") {
  PairModel model = modelOf({4, 4}, {{0, 1}});
  model.blocks[0].fixed = 0_B;
  model.blocks[1].fixed = 2_B;
  REQUIRE(searchLowestPeak(model, withNodes(100)).offsets.empty());
  REQUIRE_FALSE(searchLeastPenalty(model, {}, withNodes(100)).fits);
  model.blocks[1].fixed = 4_B;
  model.reserved = {{6_B, 7_B}};
  REQUIRE(searchLowestPeak(model, withNodes(100)).offsets.empty());
}

TEST_CASE("a search over no blocks is done", "[pairs]") {
  REQUIRE(searchLowestPeak({}, {}).fits);
  REQUIRE(searchLeastPenalty({}, {}, {}).fits);
}

TEST_CASE("a search without limits ends when it is stopped", "[pairs]") {
  test::Dice dice(3);
  PairModel model = randomModel(dice, {.blocks = 30});
  int asked = 0;
  PairOptions options;
  options.costBound = -1;
  options.stopped = [&] { return ++asked > 50; };
  REQUIRE(searchLowestPeak(model, options).stopped);
  asked = 0;
  const PairPlan plan = searchLeastPenalty(model, {}, options);
  requireHonest(model, plan);
  REQUIRE(plan.stopped);
}

TEST_CASE("the largest sizes and penalties do not overflow", "[pairs]") {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t size = kMaxBytes.count();
  PairModel model = modelOf({size, size, size}, {{0, 1, kMost}, {0, 2, kMost}});
  const PairPlan plan = searchLeastPenalty(model, {}, withNodes(1'000));
  REQUIRE(plan.fits);
  REQUIRE(plan.cost == kMost);
  model = modelOf({size, size}, {{0, 1}});
  REQUIRE(searchLowestPeak(model, withNodes(1'000)).offsets.empty());
}
