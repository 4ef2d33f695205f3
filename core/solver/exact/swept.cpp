#include "core/solver/exact/swept.h"

#include <algorithm>
#include <array>

#include "core/solver/exact/jigsaw.h"
#include "core/solver/exact/likely_joins.h"
#include "core/solver/sweep/handover_sweep.h"

namespace hw::exact {
namespace {

constexpr std::size_t kMostSwept = 5'000;
/// Of all that `isNearlyFull` could hold: one part in so many is free at most.
constexpr double kFreePart = 0.1;
/// How likely by chance the joins of a try may be: the more are joined the less is left to search,
/// and the likelier some are wrong.
constexpr std::array<double, 8> kChances{0.003, 0.01, 0.03, 0.1, 0.3, 1, 2, 4};
/// Tries end after so many dead ends: good ones have few.
constexpr std::int64_t kMostDead = 100;
/// Work of joining one box.
constexpr std::int64_t kJoinWork = 4;

}  // namespace

bool isNearlyFull(const Boxes& boxes, Bytes capacity) {
  const std::int64_t units = capacity.count() / boxes.unit.count();
  if (units > static_cast<std::int64_t>(sweep::kMostHigh) || boxes.aligned || boxes.pinned) {
    return false;
  }
  if (boxes.boxes.size() > kMostSwept || boxes.pieces.size() != boxes.boxes.size()) return false;
  double used = 0;
  Interval<Step> life = boxes.boxes.front().life;
  for (const Box& box : boxes.boxes) {
    // What is rounded up may not fit where its bytes do.
    if (box.size != boxes.unit * box.height) return false;
    used += static_cast<double>(box.height) * static_cast<double>(box.steps.count());
    life = {std::min(life.begin, box.life.begin), std::max(life.end, box.life.end)};
  }
  const double all =
      static_cast<double>(units) * static_cast<double>((life.end - life.begin).count());
  return used <= all && used >= (1 - kFreePart) * all;
}

Swept packFull(const Boxes& boxes, Bytes capacity, std::uint64_t seed,
               const std::function<bool()>& stopped) {
  Dice dice(seed);
  Jigsaw jigsaw(boxes, true, 0, dice);
  addHoles(jigsaw, capacity, dice);
  // Holes that explain one set of jumps may take more together than is free.
  const std::vector<std::int64_t> room = jigsaw.room(capacity);
  if (std::ranges::any_of(room, [](std::int64_t free) { return free < 0; })) {
    return {.work = kJoinWork * static_cast<std::int64_t>(boxes.boxes.size())};
  }
  fillRoom(jigsaw, capacity);
  const auto chance = static_cast<std::size_t>(dice.roll(0, kChances.size() - 1));
  joinLikely(jigsaw, {.most = kChances[chance], .rows = dice.chance(75), .piles = dice.chance(75)},
             dice);
  const std::vector<Jigsaw::Item> items = jigsaw.joinable(0, dice);
  const bool backwards = seed % 2 == 1;
  std::vector<sweep::Piece> pieces;
  for (const Jigsaw::Item item : items) {
    const auto [from, to] = jigsaw.hull(item);
    const std::uint32_t last = jigsaw.moments();
    pieces.push_back(
        {backwards ? last - to : from, backwards ? last - from : to, jigsaw.height(item)});
  }
  sweep::HandoverSweep sweep(std::move(pieces), jigsaw.moments(), dice);
  const auto found = sweep.run({.dead = kMostDead, .stopped = stopped});
  Swept swept{.work = sweep.work() + kJoinWork * static_cast<std::int64_t>(boxes.boxes.size())};
  if (found) swept.offsets = jigsaw.offsetsOf(items, *found);
  return swept;
}

}  // namespace hw::exact
