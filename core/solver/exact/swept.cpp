#include "core/solver/exact/swept.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/base/dice.h"
#include "core/solver/exact/jigsaw.h"
#include "core/solver/luby.h"
#include "core/solver/sweep/beam.h"
#include "core/solver/sweep/handover_sweep.h"

namespace hw::exact {
namespace {

/// The kinds that are joined, and the most pairs, or wheels, as good as one that may be there by
/// chance for it to be joined.
struct LikelyKinds {
  double most = 0;
  bool rows = true;
  bool piles = true;
};

/// Joins what fits together too well to do so by chance, as far as heights tell: where there are
/// few different heights, two of one height that meet mean little, and are left to a search. Rows
/// are two of one height, one behind the other; piles two of one life; wheels four around a fifth.
void joinLikely(Jigsaw& jigsaw, LikelyKinds kinds, Dice& dice);

using Item = Jigsaw::Item;

/// Of what begins at a moment, about so much ends at a given one.
constexpr double kMeeting = 0.15;
/// Pairs that begin and end at two moments, for one of them to be of one life by chance.
constexpr double kPairsOfOneLife = 24;
/// A row as long as something that lives as long, which could be piled up with it at once, is so
/// much likelier.
constexpr double kConfirmed = 0.1;
constexpr double kWheels = 3;
/// Joins after which heights are counted again.
constexpr int kCountAgain = 16;

class LikelyJoiner {
 public:
  LikelyJoiner(Jigsaw& jigsaw, LikelyKinds kinds, Dice& dice)
      : jigsaw_(jigsaw), kinds_(kinds), dice_(dice), waits_(jigsaw.moments() + 1, true) {
    for (std::uint32_t m = 0; m <= jigsaw.moments(); ++m) waiting_.push_back(m);
  }

  void run() {
    while (!waiting_.empty()) {
      if (joins_ % kCountAgain == 0) countHeights();
      const auto last = static_cast<std::int64_t>(waiting_.size()) - 1;
      std::swap(waiting_[static_cast<std::size_t>(dice_.roll(0, last))], waiting_.back());
      const std::uint32_t moment = waiting_.back();
      best_ = {.chance = std::numeric_limits<double>::max(), .items = {}};
      if (kinds_.rows) compareRows(moment);
      if (kinds_.piles) comparePiles(jigsaw_.begins(moment));
      if (kinds_.piles) comparePiles(jigsaw_.ends(moment));
      for (const Item middle : jigsaw_.begins(moment)) compareWheels(middle);
      for (const Item middle : jigsaw_.ends(moment)) compareWheels(middle);
      if (best_.chance > kinds_.most) {
        waits_[moment] = false;
        waiting_.pop_back();
      } else {
        joinBest();
      }
    }
  }

 private:
  enum class Kind : std::uint8_t { row, pile, wheel };
  struct Found {
    double chance = 0;
    Kind kind{};
    Jigsaw::Wheel items{};  ///< The first two, where it is no wheel.
  };

  std::int64_t height(Item item) const { return jigsaw_.height(item); }
  const Piece& hull(Item item) const { return jigsaw_.hull(item); }

  void countHeights() {
    ++joins_;
    share_.clear();
    double all = 0;
    for (std::uint32_t m = 0; m <= jigsaw_.moments(); ++m) {
      for (const Item item : jigsaw_.begins(m)) ++share_[height(item)];
      all += static_cast<double>(jigsaw_.begins(m).size());
    }
    for (auto& [height, share] : share_) share /= all;
  }
  /// Of all, how many are as high.
  double share(std::int64_t height) const {
    const auto found = share_.find(height);
    return found == share_.end() ? 0 : found->second;
  }
  static double count(std::span<const Item> items) { return static_cast<double>(items.size()); }
  double countAlike(std::span<const Item> items, std::int64_t wanted) const {
    return static_cast<double>(
        std::ranges::count_if(items, [&](Item item) { return height(item) == wanted; }));
  }

  /// Keeps the unlikeliest to be by chance; each is found more or less likely.
  void compare(double chance, Kind kind, const Jigsaw::Wheel& items) {
    chance *= 0.4 + 2 * dice_.fraction();
    if (chance < best_.chance) best_ = {chance, kind, items};
  }

  void compareRows(std::uint32_t moment) {
    const auto ends = jigsaw_.ends(moment);
    const auto begins = jigsaw_.begins(moment);
    const double others = count(ends) + count(begins) - 2;
    for (const Item first : ends) {
      for (const Item next : begins) {
        if (height(first) != height(next)) continue;
        const double ways = countAlike(ends, height(first)) * countAlike(begins, height(first));
        const auto isBeside = [&](Item item) { return hull(item).last == hull(next).last; };
        const bool confirmed = std::ranges::any_of(jigsaw_.begins(hull(first).first), isBeside);
        compare(share(height(first)) * others * ways * ways * (confirmed ? kConfirmed : 1),
                Kind::row, {first, next, 0, 0, 0});
      }
    }
  }

  void comparePiles(std::span<const Item> items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      for (std::size_t k = i + 1; k < items.size(); ++k) {
        const auto [from, to] = hull(items[i]);
        if (hull(items[k]).first != from || hull(items[k]).last != to) continue;
        const double pairs = (count(jigsaw_.begins(from)) - 1) * (count(jigsaw_.ends(to)) - 1);
        const std::int64_t high = height(items[i]) + height(items[k]);
        const auto before = jigsaw_.ends(from);
        const auto after = jigsaw_.begins(to);
        double chance = std::min(1.0, pairs / kPairsOfOneLife);
        if (countAlike(before, high) + countAlike(after, high) > 0) {
          chance *= share(high) * (count(before) + count(after));
        }
        compare(chance, Kind::pile, {items[i], items[k], 0, 0, 0});
      }
    }
  }

  void compareWheels(Item middle) {
    const auto [from, to] = hull(middle);
    const auto ends = jigsaw_.ends(from);
    const auto begins = jigsaw_.begins(from);
    for (const Item left : ends) {
      const std::int64_t high = height(left) - height(middle);
      if (high <= 0) continue;
      for (const Item top : begins) {
        if (height(top) != high || hull(top).last <= to) continue;
        compareWheels({left, top, middle, 0, 0}, count(ends) * count(begins) * share(high));
      }
    }
  }

  /// Given left, top and middle: with each right and bottom.
  void compareWheels(Jigsaw::Wheel wheel, double chance) {
    const std::uint32_t to = hull(wheel.middle).last;
    const auto begins = jigsaw_.begins(to);
    const auto ends = jigsaw_.ends(to);
    for (const Item right : begins) {
      const std::int64_t high = height(right) - height(wheel.middle);
      if (high <= 0 || hull(right).last != hull(wheel.top).last) continue;
      for (const Item bottom : ends) {
        const bool meets = hull(bottom).first == hull(wheel.left).first;
        if (bottom == wheel.middle || !meets || height(bottom) != high) continue;
        wheel.right = right;
        wheel.bottom = bottom;
        compare(kWheels * chance * count(begins) * kMeeting * count(ends) * kMeeting * share(high),
                Kind::wheel, wheel);
      }
    }
  }

  void joinBest() {
    ++joins_;
    const auto& [left, top, middle, bottom, right] = best_.items;
    wait(left);
    wait(top);
    switch (best_.kind) {
      case Kind::row:
        return jigsaw_.takeOver(left, top);
      case Kind::pile:
        return jigsaw_.stack(left, top);
      case Kind::wheel:
        break;
    }
    wait(middle);
    wait(bottom);
    wait(right);
    jigsaw_.joinWheel(best_.items);
  }

  /// All is compared again where `item` begins and ends.
  void wait(Item item) {
    for (const std::uint32_t moment : {hull(item).first, hull(item).last}) {
      if (waits_[moment]) continue;
      waits_[moment] = true;
      waiting_.push_back(moment);
    }
  }

  Jigsaw& jigsaw_;
  LikelyKinds kinds_;
  Dice& dice_;
  std::map<std::int64_t, double> share_;  ///< By height.
  std::vector<bool> waits_;               ///< By moment.
  std::vector<std::uint32_t> waiting_;
  Found best_;
  int joins_ = 0;
};

void joinLikely(Jigsaw& jigsaw, LikelyKinds kinds, Dice& dice) {
  LikelyJoiner(jigsaw, kinds, dice).run();
}

constexpr std::size_t kMostSwept = 5'000;
/// Of all that `isNearlyFull` could hold: one part in so many is free at most.
constexpr double kFreePart = 0.1;
/// The likelihoods by chance that the joins of a try may have: the more are joined the less is left
/// to search, and the likelier some are wrong.
constexpr std::array<double, 8> kChances{0.003, 0.01, 0.03, 0.1, 0.3, 1, 2, 4};
/// Tries end after so many dead ends: good ones have few.
constexpr std::int64_t kMostDead = 100;
/// Work of joining one box.
constexpr std::int64_t kJoinWork = 4;
/// Beams are so wide, times the numbers of Luby, Sinclair and Zuckerman.
constexpr std::size_t kBeamWidth = 256;
/// One try of so many packs the boxes as they are.
constexpr std::uint64_t kJoinsNothing = 3;
/// Placements of the beam search that take as long as a node.
constexpr std::int64_t kMovesOfANode = 3;

/// Joins what fits together too well, by a likelihood that is drawn.
void joinSome(Jigsaw& jigsaw, Dice& dice) {
  const auto chance = static_cast<std::size_t>(dice.roll(0, kChances.size() - 1));
  joinLikely(jigsaw, {.most = kChances[chance], .rows = dice.chance(75), .piles = dice.chance(75)},
             dice);
}

std::vector<sweep::Piece> piecesOf(const Jigsaw& jigsaw, std::span<const Item> items,
                                   bool backwards) {
  const std::uint32_t last = jigsaw.moments();
  std::vector<sweep::Piece> pieces;
  for (const Item item : items) {
    const auto [from, to] = jigsaw.hull(item);
    pieces.push_back(
        {backwards ? last - to : from, backwards ? last - from : to, jigsaw.height(item)});
  }
  return pieces;
}

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
    // A box that is rounded up may not fit where its bytes do.
    if (box.size != boxes.unit * box.height) return false;
    used += static_cast<double>(box.height) * static_cast<double>(box.steps.count());
    life.cover(box.life);
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
    return {.work = jigsaw.looks() / Jigsaw::kLooksOfANode +
                    kJoinWork * static_cast<std::int64_t>(boxes.boxes.size())};
  }
  fillRoom(jigsaw, capacity);
  joinSome(jigsaw, dice);
  const std::vector<Jigsaw::Item> items = jigsaw.joinable(0, dice);
  sweep::HandoverSweep sweep(piecesOf(jigsaw, items, seed % 2 == 1), jigsaw.moments(), dice);
  const auto found = sweep.run({.dead = kMostDead, .stopped = stopped});
  Swept swept{.work = sweep.work() + jigsaw.looks() / Jigsaw::kLooksOfANode +
                      kJoinWork * static_cast<std::int64_t>(boxes.boxes.size())};
  if (found) swept.offsets = jigsaw.offsetsOf(items, *found);
  return swept;
}

Swept packNearlyFull(const Boxes& boxes, Bytes capacity, std::uint64_t seed,
                     const std::function<bool()>& stopped) {
  Dice dice(seed);
  Jigsaw jigsaw(boxes, true, 0, dice);
  if (seed % kJoinsNothing != 0) joinSome(jigsaw, dice);
  const std::vector<Jigsaw::Item> items = jigsaw.joinable(0, dice);
  const sweep::BeamPlan found =
      sweep::packByBeam(piecesOf(jigsaw, items, false), capacity.count() / boxes.unit.count(),
                        {.width = kBeamWidth * lubyLength(seed),
                         .variant = sweep::kFirstNoisy + seed,
                         .stopped = stopped});
  Swept swept{.work = found.moves / kMovesOfANode + jigsaw.looks() / Jigsaw::kLooksOfANode +
                      kJoinWork * static_cast<std::int64_t>(boxes.boxes.size())};
  if (found.offsets) swept.offsets = jigsaw.offsetsOf(items, *found.offsets);
  return swept;
}

}  // namespace hw::exact
