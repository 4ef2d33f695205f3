#include "core/pairs/pair_proof.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/pairs/pair_cuts.h"
#include "core/pairs/pair_dolls.h"
#include "core/pairs/pair_field.h"
#include "core/pairs/pair_payments.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

struct ProofShape {
  std::int64_t mostBlocks = 5;
  std::int64_t mostSize = 4;
  bool capacity = true;
  std::int64_t mostCapacity = 11;
  bool plain = false;  ///< Distances are sizes; no alignments, reserved ranges or fixed blocks.
};

void linkPair(test::Dice& dice, const ProofShape& shape, std::uint32_t a, std::uint32_t b,
              PairModel& model) {
  const bool odd = !shape.plain && dice.chance(30);
  const Bytes below = odd ? Bytes(dice.roll(1, 5)) : model.blocks[a].size;
  const Bytes above = odd ? Bytes(dice.roll(1, 5)) : model.blocks[b].size;
  const std::int64_t kind = dice.roll(1, 10);
  if (kind <= 4) {
    model.conflicts[a].push_back({b, below, above});
    model.conflicts[b].push_back({a, above, below});
  } else if (kind <= 8) {
    const std::int64_t cost = shape.plain && dice.chance(50) ? 1 : dice.roll(1, 5);
    model.penalties[a].push_back({{b, below, above}, cost});
    model.penalties[b].push_back({{a, above, below}, cost});
  }
}

PairModel randomModel(std::uint64_t seed, const ProofShape& shape) {
  test::Dice dice(seed);
  PairModel model;
  const auto count = static_cast<std::uint32_t>(dice.roll(1, shape.mostBlocks));
  for (std::uint32_t i = 0; i < count; ++i) {
    PairModel::Block block{.size = Bytes(dice.roll(1, shape.mostSize))};
    if (!shape.plain && dice.chance(30))
      block.alignment = Bytes(std::int64_t{1} << dice.roll(1, 2));
    if (!shape.plain && dice.chance(15)) block.fixed = block.alignment * dice.roll(0, 2);
    model.blocks.push_back(block);
  }
  model.conflicts.resize(count);
  model.penalties.resize(count);
  for (std::uint32_t a = 0; a < count; ++a) {
    for (std::uint32_t b = a + 1; b < count; ++b) linkPair(dice, shape, a, b, model);
  }
  std::int64_t begin = 0;
  for (int i = 0; i < 2 && !shape.plain && dice.chance(30); ++i) {
    begin += dice.roll(0, 5);
    const std::int64_t end = begin + dice.roll(1, 2);
    model.reserved.push_back({Bytes(begin), Bytes(end)});
    begin = end;
  }
  if (shape.capacity) model.capacity = Bytes(dice.roll(3, shape.mostCapacity));
  return model;
}

/// The worth of a plan, read from the model alone.
struct Judged {
  bool valid = true;
  std::int64_t cost = 0;
  std::int64_t peak = 0;
};

bool keptApart(const PairModel::Apart& apart, std::int64_t here, std::int64_t there) {
  return here + apart.below.count() <= there || there + apart.above.count() <= here;
}

bool standsLegally(const PairModel& model, std::size_t i, std::int64_t offset) {
  const PairModel::Block& block = model.blocks[i];
  const std::int64_t end = offset + block.size.count();
  if (offset < 0 || offset % block.alignment.count() != 0) return false;
  if (block.fixed && block.fixed->count() != offset) return false;
  if (model.capacity && end > model.capacity->count()) return false;
  return std::none_of(model.reserved.begin(), model.reserved.end(), [&](const auto& range) {
    return range.begin.count() < end && offset < range.end.count();
  });
}

/// Of the blocks up to the last of `offsets`; the last one is looked at with those before it.
void judgeLast(const PairModel& model, const std::vector<std::int64_t>& offsets, Judged& judged) {
  const std::size_t last = offsets.size() - 1;
  judged.valid = judged.valid && standsLegally(model, last, offsets[last]);
  for (const PairModel::Apart& apart : model.conflicts[last]) {
    if (apart.other < last && !keptApart(apart, offsets[last], offsets[apart.other])) {
      judged.valid = false;
    }
  }
  for (const PairModel::Penalty& penalty : model.penalties[last]) {
    const PairModel::Apart& apart = penalty.apart;
    if (apart.other < last && !keptApart(apart, offsets[last], offsets[apart.other])) {
      judged.cost += penalty.cost;
    }
  }
  judged.peak = std::max(judged.peak, offsets[last] + model.blocks[last].size.count());
}

Judged judge(const PairModel& model, const std::vector<Bytes>& plan) {
  Judged judged{.valid = plan.size() == model.blocks.size()};
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; judged.valid && i < plan.size(); ++i) {
    offsets.push_back(plan[i].count());
    judgeLast(model, offsets, judged);
  }
  return judged;
}

/// Least peak and least cost over all offsets below a height.
struct Everything {
  std::optional<std::int64_t> cost{};
  std::optional<std::int64_t> peak{};
};

void tryAll(const PairModel& model, std::int64_t height, std::vector<std::int64_t>& offsets,
            const Judged& judged, Everything& all) {
  if (offsets.size() == model.blocks.size()) {
    all.cost = std::min(all.cost.value_or(judged.cost), judged.cost);
    all.peak = std::min(all.peak.value_or(judged.peak), judged.peak);
    return;
  }
  const std::int64_t last = height - model.blocks[offsets.size()].size.count();
  for (std::int64_t offset = 0; offset <= last; ++offset) {
    offsets.push_back(offset);
    Judged next = judged;
    judgeLast(model, offsets, next);
    const bool worse = all.cost && all.peak && next.cost >= *all.cost && next.peak >= *all.peak;
    if (next.valid && !worse) tryAll(model, height, offsets, next, all);
    offsets.pop_back();
  }
}

Everything everything(const PairModel& model) {
  constexpr std::int64_t kHigh = 22;  // Suffices for four blocks without a capacity.
  Everything all;
  std::vector<std::int64_t> offsets;
  tryAll(model, model.capacity.value_or(Bytes(kHigh)).count(), offsets, {}, all);
  return all;
}

/// The heaviest set of blocks that conflict pairwise, by trying all sets, where a block weighs its
/// size or its least distance below another.
std::int64_t heaviestOfAll(const PairModel& model) {
  std::vector<std::int64_t> weights;
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    weights.push_back(model.blocks[i].size.count());
    for (const PairModel::Apart& apart : model.conflicts[i]) {
      weights[i] = std::min(weights[i], apart.below.count());
    }
  }
  std::int64_t most = 0;
  for (std::uint32_t set = 0; set < (1U << model.blocks.size()); ++set) {
    std::int64_t weight = 0;
    bool clique = true;
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      weight += weights[i];
      std::uint32_t linked = 1U << i;
      for (const PairModel::Apart& apart : model.conflicts[i]) linked |= 1U << apart.other;
      clique = clique && (set & ~linked) == 0;
    }
    if (clique) most = std::max(most, weight);
  }
  return most;
}

bool conflictPairwise(const PairModel& model, const std::vector<std::uint32_t>& members) {
  for (const std::uint32_t a : members) {
    for (const std::uint32_t b : members) {
      const auto& conflicts = model.conflicts[a];
      const bool found = std::any_of(conflicts.begin(), conflicts.end(),
                                     [&](const auto& apart) { return apart.other == b; });
      if (a != b && !found) return false;
    }
  }
  return true;
}

void checkPenaltyProof(const PairModel& model, const PenaltyProof& proof, const Everything& all) {
  CHECK((proof.status == PairStatus::infeasible) == !all.cost.has_value());
  if (!all.cost) {
    CHECK(proof.offsets.empty());
    return;
  }
  CHECK(proof.status == PairStatus::optimal);
  CHECK(proof.cost == *all.cost);
  CHECK(proof.bound == *all.cost);
  const Judged judged = judge(model, proof.offsets);
  CHECK(judged.valid);
  CHECK(judged.cost == proof.cost);
}

}  // namespace

TEST_CASE("the least penalty is that of all plans", "[pairs]") {
  int paid = 0;
  int impossible = 0;
  for (const std::uint64_t seed : test::Seeds(1'500)) {
    const PairModel model = randomModel(seed, {.plain = seed % 3 == 0});
    const Everything all = everything(model);
    checkPenaltyProof(model, proveLeastPenalty(model, {}, {}), all);
    if (all.cost.value_or(0) > 0) ++paid;
    if (!all.cost) ++impossible;
  }
  CHECK(paid >= test::atLeast(100));
  CHECK(impossible >= test::atLeast(100));
}

// Slots and reversed plans are left out by the search where they are alike.
TEST_CASE("the least penalty of many small blocks is that of all plans", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const std::int64_t size = seed % 2 == 0 ? 1 : 2;
    const PairModel model =
        randomModel(seed, {.mostBlocks = 7, .mostSize = size, .mostCapacity = 5, .plain = true});
    checkPenaltyProof(model, proveLeastPenalty(model, {}, {}), everything(model));
    const PairField field = fieldOf(model);
    PairBudget budget({}, {});
    const auto places = test::must(touchingOffsets(field, 10'000));
    const PairDolls dolls = leastCostByDolls(field, places, {}, {}, budget);
    REQUIRE(dolls.feasible == everything(model).cost.has_value());
    if (dolls.feasible) CHECK(dolls.cost == everything(model).cost);
  }
}

TEST_CASE("the least peak is that of all plans", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(900)) {
    const bool capacity = seed % 2 == 0;
    const PairModel model =
        randomModel(seed, {.mostBlocks = capacity ? 5 : 4, .capacity = capacity});
    const Everything all = everything(model);
    const PeakProof proof = provePeak(model, {}, {});
    if (!all.peak) {
      // Without a capacity only fixed blocks can make it impossible.
      CHECK(proof.status == PairStatus::infeasible);
      continue;
    }
    REQUIRE(proof.status == PairStatus::optimal);
    CHECK(proof.peak == Bytes(*all.peak));
    CHECK(proof.bound == proof.peak);
    const Judged judged = judge(model, proof.offsets);
    CHECK(judged.valid);
    CHECK(Bytes(judged.peak) == proof.peak);
  }
}

TEST_CASE("both searches for the least penalty agree in any order", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(600)) {
    const PairModel model = randomModel(seed, {.plain = seed % 3 == 0});
    const Everything all = everything(model);
    const PairField field = fieldOf(model);
    const auto places = test::must(touchingOffsets(field, 10'000));
    PairBudget budget({}, {});
    std::vector<PairDolls> found;
    for (const DollOrder order : {DollOrder::entangled, DollOrder::largeFirst}) {
      const DollOptions options{.order = order, .priced = seed % 2 == 0};
      found.push_back(leastCostByDolls(field, places, {}, options, budget));
    }
    found.push_back(leastCostByPayments(field, {}, 0, budget));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const PairDolls& one = found[i];
      CAPTURE(i);
      CHECK(one.complete);
      REQUIRE(one.feasible == all.cost.has_value());
      if (one.feasible) CHECK(one.cost == *all.cost);
      if (one.feasible) CHECK(one.bound == *all.cost);
      if (one.feasible) CHECK(costOf(field, one.offsets) == all.cost);
    }
  }
}

TEST_CASE("no bound exceeds what the best plan costs", "[pairs]") {
  int useful = 0;
  int cuts = 0;
  for (const std::uint64_t seed : test::Seeds(1'500)) {
    const PairModel model = randomModel(seed, {.plain = seed % 2 == 0});
    const Everything all = everything(model);
    if (!all.cost) continue;
    const PairField field = fieldOf(model);
    std::vector<std::uint32_t> blocks(field.count());
    for (std::uint32_t i = 0; i < field.count(); ++i) blocks[i] = i;
    const std::int64_t shared = leastSharingCost(field, blocks);
    CHECK(shared <= *all.cost);
    if (shared > 0) ++useful;
    PairBudget budget({}, {});
    const std::int64_t cut = leastCostByCuts(field, budget);
    CHECK(cut <= *all.cost);
    if (cut > 0) ++cuts;
    CHECK(heaviestClique(model, {}).bytes <= Bytes(*all.peak));
  }
  CHECK(useful >= test::atLeast(50));
  CHECK(cuts >= test::atLeast(50));
}

TEST_CASE("what few nodes leave is a valid bound and repeats", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(400)) {
    const PairModel model = randomModel(seed, {.plain = seed % 3 == 0});
    const Everything all = everything(model);
    for (const std::int64_t nodes : {1, 3, 10, 40}) {
      const PairLimits limits{.nodes = nodes};
      const PenaltyProof proof = proveLeastPenalty(model, {}, limits);
      const PeakProof peak = provePeak(model, {}, limits);
      CHECK(proof.nodes <= nodes);
      CHECK(peak.nodes <= nodes);
      if (all.cost) {
        CHECK(proof.status != PairStatus::infeasible);
        CHECK(peak.status != PairStatus::infeasible);
        CHECK(proof.bound <= *all.cost);
        CHECK(peak.bound <= Bytes(*all.peak));
      }
      if (proof.status == PairStatus::optimal) CHECK(proof.cost == all.cost);
      if (peak.status == PairStatus::optimal) CHECK(peak.peak.count() == all.peak);
      if (!proof.offsets.empty()) CHECK(judge(model, proof.offsets).cost == proof.cost);
      CHECK(proveLeastPenalty(model, {}, limits).offsets == proof.offsets);
      CHECK(proveLeastPenalty(model, {}, limits).bound == proof.bound);
    }
  }
}

TEST_CASE("a start is never made worse and an invalid one is not used", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    const PairModel model = randomModel(seed, {.plain = true});
    const PenaltyProof best = proveLeastPenalty(model, {}, {});
    if (best.status != PairStatus::optimal) continue;
    const PenaltyProof again = proveLeastPenalty(model, best.offsets, {.nodes = 1});
    CHECK(again.offsets.size() == model.blocks.size());
    CHECK(again.cost == best.cost);
    const std::vector<Bytes> outside(model.blocks.size(), Bytes(1'000));
    CHECK(proveLeastPenalty(model, outside, {}).cost == best.cost);
    CHECK(provePeak(model, outside, {}).status == PairStatus::optimal);
  }
}

TEST_CASE("the heaviest clique is that of all sets", "[pairs]") {
  for (const std::uint64_t seed : test::Seeds(400)) {
    const PairModel model =
        randomModel(seed, {.mostBlocks = 12, .mostSize = 9, .plain = seed % 2 == 0});
    const PairClique clique = heaviestClique(model, {});
    CHECK(clique.proved);
    CHECK(conflictPairwise(model, clique.members));
    CHECK(std::is_sorted(clique.members.begin(), clique.members.end()));
    CHECK(clique.bytes >= Bytes(heaviestOfAll(model)));
    if (seed % 2 == 0) CHECK(clique.bytes == Bytes(heaviestOfAll(model)));
    const PairClique quick = heaviestClique(model, {.nodes = 1});
    CHECK(conflictPairwise(model, quick.members));
    if (seed % 2 == 0) CHECK(quick.bytes <= clique.bytes);
  }
}

TEST_CASE("two accumulators in a pool for one are named, with the missing bytes", "[pairs]") {
  PairModel model{.blocks = {{.size = 131'072_B}, {.size = 64_B}, {.size = 131'072_B}},
                  .conflicts = {{{2, 131'072_B, 131'072_B}}, {}, {{0, 131'072_B, 131'072_B}}},
                  .penalties = {{}, {}, {}},
                  .capacity = 131'072_B};
  const PenaltyProof proof = proveLeastPenalty(model, {}, {});
  CHECK(proof.status == PairStatus::infeasible);
  CHECK(proof.shortage.members == std::vector<std::uint32_t>{0, 2});
  CHECK(proof.shortage.bytes == 262'144_B);
  CHECK(proof.shortage.missing == 131'072_B);
  CHECK(provePeak(model, {}, {}).shortage.members == proof.shortage.members);
  model.capacity.reset();
  CHECK(provePeak(model, {}, {}).peak == 262'144_B);
}

namespace {

/// Blocks of 32 bytes in slots, each two linked by a penalty of 1.
PairModel slotsForAll(std::uint32_t blocks, std::int64_t slots) {
  PairModel model;
  model.blocks.assign(blocks, {.size = 32_B, .alignment = 32_B});
  model.conflicts.resize(blocks);
  model.penalties.resize(blocks);
  for (std::uint32_t a = 0; a < blocks; ++a) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (a != b) model.penalties[a].push_back({{b, 32_B, 32_B}, 1});
    }
  }
  model.capacity = 32_B * slots;
  return model;
}

}  // namespace

// As Turan counts edges: 6 blocks in each of 4 slots, 15 pairs in each.
TEST_CASE("24 blocks in 4 slots pay 60 pairs", "[pairs]") {
  const PenaltyProof proof = proveLeastPenalty(slotsForAll(24, 4), {}, {.nodes = 100'000});
  CHECK(proof.status == PairStatus::optimal);
  CHECK(proof.cost == 60);
  CHECK(judge(slotsForAll(24, 4), proof.offsets).cost == 60);
  PairModel less = slotsForAll(24, 4);
  less.reserved = {{0_B, 1_B}};  // One slot is lost: 8 blocks in each of 3, 28 pairs in each.
  CHECK(proveLeastPenalty(less, {}, {.nodes = 100'000}).cost == 84);
}

TEST_CASE("the largest sizes and costs are no trouble", "[pairs]") {
  PairModel model = slotsForAll(6, 1);
  for (PairModel::Block& block : model.blocks) block.size = kMaxBytes;
  for (auto& penalties : model.penalties) {
    for (PairModel::Penalty& penalty : penalties) {
      penalty.apart.below = kMaxBytes;
      penalty.apart.above = kMaxBytes;
      penalty.cost = std::int64_t{1} << 57;
    }
  }
  model.capacity.reset();
  const PenaltyProof proof = proveLeastPenalty(model, {}, {.nodes = 100'000});
  CHECK(proof.status == PairStatus::optimal);
  CHECK(proof.cost == 15 * (std::int64_t{1} << 57));
  for (auto& penalties : model.penalties) {
    for (PairModel::Penalty& penalty : penalties) {
      penalty.cost = std::numeric_limits<std::int64_t>::max();
    }
  }
  CHECK(proveLeastPenalty(model, {}, {}).status == PairStatus::stopped);
  for (std::uint32_t a = 0; a < 6; ++a) {
    for (const PairModel::Penalty& penalty : model.penalties[a]) {
      model.conflicts[a].push_back(penalty.apart);
    }
  }
  model.penalties.assign(6, {});
  const PairClique clique = heaviestClique(model, {});
  CHECK(clique.members.size() == 6);
  CHECK(clique.bytes > kMaxBytes * 3);
}

TEST_CASE("a stop ends a proof", "[pairs]") {
  int asked = 0;
  const PairModel model = randomModel(7, {.mostBlocks = 5, .plain = true});
  const PenaltyProof proof = proveLeastPenalty(model, {}, {}, [&] { return ++asked > 0; });
  CHECK(asked > 0);
  CHECK(proof.status == PairStatus::stopped);
  CHECK(proof.bound <= everything(model).cost.value_or(0) + 1'000);
}
