#include "core/solver/exact/handovers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/base/dice.h"
#include "core/solver/exact/jigsaw.h"
#include "core/solver/exact/seams.h"

namespace hw::exact {
namespace {

constexpr std::size_t kMostBoxes = 5'000;
/// Of one place in time, so that trying all fours stays quick.
constexpr std::size_t kMostSideBySide = 12;
/// What begins or ends at one moment: of more, too many add up by chance, and trying them takes
/// long.
constexpr std::size_t kMostAtBoundary = 50;
/// Of so many pairs one more is joined before all else is tried again.
constexpr std::size_t kTwinsAtOnce = 32;

using Item = Jigsaw::Item;

struct JoinKind {
  bool inTime = true;
  bool twins = true;
};

class Joiner {
 public:
  Joiner(Jigsaw& jigsaw, Dice& dice, JoinKind kind)
      : jigsaw_(jigsaw), dice_(dice), kind_(kind), seams_(jigsaw) {}

  void run() {
    do {
      for (bool again = true; again;) {
        again = kind_.inTime && joinInTime();
        again |= joinSideBySide();
        again |= joinWheels();
      }
    } while (kind_.twins && joinTwins());
  }

 private:
  bool canJoin(Item item) const { return jigsaw_.canJoin(item); }
  const Piece& hull(Item item) const { return jigsaw_.hull(item); }
  std::int64_t height(Item item) const { return jigsaw_.height(item); }

  /// The first of `items` that can be joined and is as high.
  template <class Accept>
  std::optional<Item> find(std::span<const Item> items, std::int64_t wanted,
                           const Accept& accept) const {
    for (const Item item : items) {
      if (height(item) == wanted && canJoin(item) && accept(item)) return item;
    }
    return {};
  }

  void changed(const Piece& at) {
    seams_.forget(at.first);
    seams_.forget(at.last);
  }

  void stack(Item below, Item above) {
    changed(hull(below));
    jigsaw_.stack(below, above);
  }

  bool joinInTime() {
    bool any = false;
    for (const Item i : jigsaw_.joinable(dice_)) {
      while (canJoin(i)) {
        const auto next = find(jigsaw_.begins(hull(i).last), height(i), [](Item) { return true; });
        if (!next) break;
        changed(hull(i));
        changed(hull(*next));
        jigsaw_.takeOver(i, *next);
        any = true;
      }
    }
    return any;
  }

  using Span = std::pair<std::uint32_t, std::uint32_t>;
  /// Those that can be joined by where they begin and end, where there are several.
  std::map<Span, std::vector<Item>> sideBySide() {
    std::map<Span, std::vector<Item>> groups;
    for (const Item i : jigsaw_.joinable(dice_)) groups[{hull(i).first, hull(i).last}].push_back(i);
    std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
    return groups;
  }

  bool joinSideBySide() {
    bool any = false;
    for (auto& [span, group] : sideBySide()) {
      if (group.size() > kMostSideBySide) group.resize(kMostSideBySide);
      std::set<std::int64_t> wanted;
      addHeights(jigsaw_.ends(span.first), wanted);
      addHeights(jigsaw_.begins(span.second), wanted);
      any |= joinWanted(group, wanted);
    }
    return any;
  }

  /// The heights of `items`, and of any two of them together.
  void addHeights(std::span<const Item> items, std::set<std::int64_t>& heights) const {
    if (items.size() > kMostAtBoundary) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!canJoin(items[i])) continue;
      heights.insert(height(items[i]));
      for (std::size_t k = i + 1; k < items.size(); ++k) {
        if (canJoin(items[k])) heights.insert(height(items[i]) + height(items[k]));
      }
    }
  }

  /// Joins the first subset of `group` whose heights add up to one that is wanted.
  bool joinWanted(const std::vector<Item>& group, const std::set<std::int64_t>& wanted) {
    if (wanted.empty()) return false;
    const std::uint32_t all = std::uint32_t{1} << group.size();
    for (int size = 2; size <= 4; ++size) {
      for (std::uint32_t set = 0; set < all; ++set) {
        if (std::popcount(set) != size) continue;
        std::int64_t sum = 0;
        for (std::uint32_t bits = set; bits != 0; bits &= bits - 1) {
          sum += height(group[static_cast<std::size_t>(std::countr_zero(bits))]);
        }
        if (!wanted.contains(sum)) continue;
        const Item first = group[static_cast<std::size_t>(std::countr_zero(set))];
        for (std::uint32_t bits = set & (set - 1); bits != 0; bits &= bits - 1) {
          stack(first, group[static_cast<std::size_t>(std::countr_zero(bits))]);
        }
        return true;
      }
    }
    return false;
  }

  bool joinWheels() {
    bool any = false;
    for (const Item middle : jigsaw_.joinable(dice_)) any |= canJoin(middle) && joinAround(middle);
    return any;
  }

  bool joinAround(Item middle) {
    const auto [from, to] = hull(middle);
    const std::int64_t high = height(middle);
    const std::size_t most = std::max(jigsaw_.ends(from).size(), jigsaw_.begins(from).size());
    if (most > kMostAtBoundary) return false;
    for (const Item left : jigsaw_.ends(from)) {
      if (!canJoin(left) || height(left) <= high) continue;
      for (const Item top : jigsaw_.begins(from)) {
        if (!canJoin(top) || height(top) != height(left) - high) continue;
        const auto meetsTop = [&](Item right) { return hull(right).last == hull(top).last; };
        for (const Item right : jigsaw_.begins(to)) {
          if (!canJoin(right) || !meetsTop(right)) continue;
          const auto meetsLeft = [&](Item other) { return hull(other).first == hull(left).first; };
          const auto bottom = find(jigsaw_.ends(to), height(right) - high, meetsLeft);
          if (!bottom || *bottom == middle) continue;
          for (const Item part : {left, top, middle, *bottom, right}) changed(hull(part));
          jigsaw_.joinWheel({left, top, middle, *bottom, right});
          return true;
        }
      }
    }
    return false;
  }

  struct Twins {
    int seams = 0;
    std::size_t others = 0;  ///< Pairs of what begins with what ends where they do.
    Item a = 0;
    Item b = 0;
  };

  /// Two of one life that nothing else asks for: most likely one area was cut in two. Of all, those
  /// on the same seams, and where the fewest begin and end; a few at a time where there are many.
  bool joinTwins() {
    std::vector<Twins> twins;
    for (const auto& [span, group] : sideBySide()) {
      const std::size_t others =
          jigsaw_.begins(span.first).size() * jigsaw_.ends(span.second).size();
      const std::size_t some = std::min(group.size(), kMostSideBySide);
      for (std::size_t i = 0; i < some; ++i) {
        for (std::size_t k = i + 1; k < some; ++k) {
          const int seams = worth(seams_.relation(span.first, group[i], group[k])) +
                            worth(seams_.relation(span.second, group[i], group[k]));
          twins.push_back({seams, others, group[i], group[k]});
        }
      }
    }
    const auto rank = [](const Twins& each) { return std::pair(-each.seams, each.others); };
    std::ranges::stable_sort(twins, {}, rank);
    twins.resize(std::min(twins.size(), 1 + twins.size() / kTwinsAtOnce));
    for (const Twins& each : twins) {
      if (canJoin(each.a) && canJoin(each.b)) stack(each.a, each.b);
    }
    return !twins.empty();
  }

  static int worth(Seams::Relation relation) {
    switch (relation) {
      case Seams::Relation::apart:
        return -2;
      case Seams::Relation::unknown:
        return 0;
      case Seams::Relation::loosely:
        return 1;
      case Seams::Relation::together:
        break;
    }
    return 2;
  }

  Jigsaw& jigsaw_;
  Dice& dice_;
  JoinKind kind_;
  Seams seams_;
};

}  // namespace

std::vector<std::int64_t> Joined::offsetsOf(const std::vector<std::int64_t>& joined) const {
  std::vector<std::int64_t> offsets;
  offsets.reserve(places.size());
  for (const Place& place : places) offsets.push_back(joined[place.joined] + place.offset);
  return offsets;
}

Joined joinHandovers(const Boxes& whole, Bytes capacity, std::uint64_t seed) {
  // A few boxes that only seem to fit together spoil all: some joinings leave some of them out, and
  // some join nothing in time.
  const std::uint64_t kind = seed / 2 % 6;
  Dice dice(seed);
  Jigsaw jigsaw(whole, kind % 3 != 1, kind == 2 ? 5 : 0, dice);
  if (whole.boxes.size() <= kMostBoxes && !whole.aligned && !whole.pinned) {
    if (seed % 2 == 1) addHoles(jigsaw, capacity, dice);
    Joiner(jigsaw, dice, {.inTime = kind != 3, .twins = kind % 3 != 1}).run();
  }
  return jigsaw.finish();
}

std::uint64_t JoiningTurns::next() {
  ++turns_;
  // Each earns what it is worth; the richest has its turn and pays for all.
  std::int64_t sum = 0;
  std::uint64_t best = 1;
  for (std::uint64_t i = 1; i <= kJoiningKinds; ++i) {
    const std::uint64_t kind = i % kJoiningKinds;
    sum += worth_[kind];
    credit_[kind] += worth_[kind];
    if (credit_[kind] > credit_[best]) best = kind;
  }
  credit_[best] -= sum;
  return turns_ * kJoiningKinds + best;
}

}  // namespace hw::exact
