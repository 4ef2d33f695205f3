#include "core/solver/exact/handovers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/dice.h"
#include "core/solver/exact/jigsaw.h"

namespace hw::exact {
namespace {

constexpr std::size_t kMostBoxes = 5'000;
/// Of one place in time, so that trying all fours stays quick.
constexpr std::size_t kMostSideBySide = 12;
/// The most boxes that begin or end at one moment and are tried: of more, too many add up by
/// chance, and trying them takes long.
constexpr std::size_t kMostAtBoundary = 50;
/// Of so many that may be joined one more is, before all else is tried again.
constexpr std::size_t kAtOnce = 32;

/// Of so many joinings the one that leaves the fewest boxes is taken: the fewer are left, the
/// likelier all of them are right, and joining costs less than searching.
constexpr int kDraws = 4;
/// Lots drawn by those that are equal otherwise.
constexpr std::int64_t kMostLots = 1 << 30;

/// Kinds that have the first turns: one without holes, which takes a twentieth of the others' time,
/// then those that find most.
constexpr std::array<std::uint64_t, 3> kFirstKinds{2, 1, 11};

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
    } while ((kind_.inTime && joinDoubtful()) || (kind_.twins && joinTwins()));
  }

 private:
  bool canJoin(Item item) const { return jigsaw_.canJoin(item); }
  const Piece& hull(Item item) const { return jigsaw_.hull(item); }
  std::int64_t height(Item item) const { return jigsaw_.height(item); }

  /// Those that can be joined, where something is not what it was at the change `since`, which
  /// becomes the one to come.
  std::vector<Item> news(std::uint32_t& since) {
    return jigsaw_.joinable(std::exchange(since, jigsaw_.changes() + 1), dice_);
  }

  /// The first of `items` that can be joined and is as high.
  template <class Accept>
  std::optional<Item> find(std::span<const Item> items, std::int64_t wanted,
                           const Accept& accept) const {
    for (const Item item : items) {
      if (height(item) == wanted && canJoin(item) && accept(item)) return item;
    }
    return {};
  }

  /// Of `items`, how many can be joined and are as high.
  std::size_t countAlike(std::span<const Item> items, std::int64_t wanted) const {
    const auto alike = [&](Item item) { return height(item) == wanted && canJoin(item); };
    return static_cast<std::size_t>(std::ranges::count_if(items, alike));
  }

  /// Joins where nothing else fits as well; what is doubtful is noted.
  bool joinInTime() {
    bool any = false;
    for (const Item i : news(triedInTime_)) {
      while (canJoin(i)) {
        const std::uint32_t at = hull(i).last;
        const auto next = find(jigsaw_.begins(at), height(i), [](Item) { return true; });
        if (!next) break;
        const std::size_t ways = waysToJoin(at, i, *next);
        if (ways > 1) {
          doubtful_.push_back({ways, lot(), at, jigsaw_.changes(), i, *next});
          break;
        }
        jigsaw_.takeOver(i, *next);
        any = true;
      }
    }
    return any;
  }

  /// In how many ways those that end and begin at `at` could be joined, as far as `first`, which
  /// ends there, and `next` take part.
  std::size_t waysToJoin(std::uint32_t at, Item first, Item next) {
    const std::size_t alike =
        countAlike(jigsaw_.ends(at), height(first)) * countAlike(jigsaw_.begins(at), height(first));
    return std::max(alike, seams_.count(at, first) * seams_.count(at, next));
  }

  /// Of what is doubtful the least; a few at a time where there are many.
  bool joinDoubtful() {
    const auto isOld = [&](const Doubtful& each) {
      return jigsaw_.changedAt(each.at) > each.change;
    };
    std::erase_if(doubtful_, isOld);
    const auto rank = [](const Doubtful& each) { return std::pair(each.ways, each.lot); };
    for (const Doubtful& each : firstOf(doubtful_, rank)) {
      if (!isOld(each)) jigsaw_.takeOver(each.first, each.next);
    }
    return !doubtful_.empty();
  }

  /// Sorts the first few of `all` by `rank`: one of so many that are joined at once.
  template <class T, class Rank>
  static std::span<const T> firstOf(std::vector<T>& all, const Rank& rank) {
    if (all.empty()) return {};
    const auto some = static_cast<std::ptrdiff_t>(1 + all.size() / kAtOnce);
    std::ranges::partial_sort(all, all.begin() + some, {}, rank);
    return std::span(all).first(static_cast<std::size_t>(some));
  }

  std::int64_t lot() { return dice_.roll(0, kMostLots); }

  /// Calls `visit` with those of `items` that begin and end together, where there are several.
  template <class Visit>
  void visitSideBySide(std::vector<Item> items, const Visit& visit) {
    const auto life = [&](Item item) { return std::pair(hull(item).first, hull(item).last); };
    std::ranges::stable_sort(items, {}, life);
    const std::span<const Item> all = items;
    for (std::size_t first = 0; first < all.size();) {
      std::size_t last = first + 1;
      while (last < all.size() && life(all[last]) == life(all[first])) ++last;
      if (last - first > 1) visit(all.subspan(first, std::min(last - first, kMostSideBySide)));
      first = last;
    }
  }

  bool joinSideBySide() {
    bool any = false;
    visitSideBySide(news(triedSides_), [&](std::span<const Item> group) {
      wanted_.clear();
      addHeights(jigsaw_.ends(hull(group.front()).first));
      addHeights(jigsaw_.begins(hull(group.front()).last));
      if (wanted_.empty()) return;
      std::ranges::sort(wanted_);
      for (std::size_t size = 2; size <= 4; ++size) {
        chosen_.clear();
        if (!choose(group, size, 0)) continue;
        for (std::size_t i = 1; i < chosen_.size(); ++i) jigsaw_.stack(chosen_[0], chosen_[i]);
        any = true;
        return;
      }
    });
    return any;
  }

  /// Wants the heights of `items`, and of any two of them together.
  void addHeights(std::span<const Item> items) {
    if (items.size() > kMostAtBoundary) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!canJoin(items[i])) continue;
      wanted_.push_back(height(items[i]));
      for (std::size_t k = i + 1; k < items.size(); ++k) {
        if (canJoin(items[k])) wanted_.push_back(height(items[i]) + height(items[k]));
      }
    }
  }

  /// Adds the first `size` of `group` to `chosen_` that are, on top of `sum`, as high as wanted.
  bool choose(std::span<const Item> group, std::size_t size, std::int64_t sum) {
    if (size == 0) return std::ranges::binary_search(wanted_, sum);
    if (sum >= wanted_.back()) return false;
    for (std::size_t i = 0; i + size <= group.size(); ++i) {
      chosen_.push_back(group[i]);
      if (choose(group.subspan(i + 1), size - 1, sum + height(group[i]))) return true;
      chosen_.pop_back();
    }
    return false;
  }

  bool joinWheels() {
    bool any = false;
    for (const Item middle : news(triedWheels_)) any |= canJoin(middle) && joinAround(middle);
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
          jigsaw_.joinWheel({left, top, middle, *bottom, right});
          return true;
        }
      }
    }
    return false;
  }

  /// A box and one that begins where it ends, as high, where others would fit, too.
  struct Doubtful {
    std::size_t ways = 0;
    std::int64_t lot = 0;  ///< Drawn, for equals.
    std::uint32_t at = 0;
    std::uint32_t change = 0;  ///< The latest when it was looked at.
    Item first = 0;
    Item next = 0;
  };

  struct Twins {
    int seams = 0;
    std::size_t others = 0;  ///< Pairs of what begins with what ends where they do.
    std::int64_t lot = 0;    ///< Drawn, for equals.
    Item a = 0;
    Item b = 0;
  };

  /// Two of one life that nothing else asks for: most likely one area was cut in two. Of all, those
  /// on the same seams, and where the fewest begin and end; a few at a time where there are many.
  bool joinTwins() {
    const auto isOld = [&](const Twins& each) {
      const Piece& life = hull(each.a);
      return !canJoin(each.a) || !canJoin(each.b) || jigsaw_.changedAt(life.first) >= triedTwins_ ||
             jigsaw_.changedAt(life.last) >= triedTwins_;
    };
    std::erase_if(twins_, isOld);
    visitSideBySide(news(triedTwins_), [&](std::span<const Item> group) { addTwins(group); });
    const auto rank = [](const Twins& each) {
      return std::tuple(-each.seams, each.others, each.lot);
    };
    for (const Twins& each : firstOf(twins_, rank)) {
      if (canJoin(each.a) && canJoin(each.b)) jigsaw_.stack(each.a, each.b);
    }
    return !twins_.empty();
  }

  void addTwins(std::span<const Item> group) {
    const auto [from, to] = hull(group.front());
    const std::size_t others = jigsaw_.begins(from).size() * jigsaw_.ends(to).size();
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t k = i + 1; k < group.size(); ++k) {
        const int seams = worth(seams_.relation(from, group[i], group[k])) +
                          worth(seams_.relation(to, group[i], group[k]));
        twins_.push_back({seams, others, lot(), group[i], group[k]});
      }
    }
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
  /// The change from which on what is new was not tried yet.
  std::uint32_t triedInTime_ = 0;
  std::uint32_t triedSides_ = 0;
  std::uint32_t triedWheels_ = 0;
  std::uint32_t triedTwins_ = 0;
  std::vector<Doubtful> doubtful_;
  std::vector<Twins> twins_;
  std::vector<std::int64_t> wanted_;  ///< Heights, ascending.
  std::vector<Item> chosen_;
};

}  // namespace

std::vector<std::int64_t> Joined::offsetsOf(const std::vector<std::int64_t>& joined) const {
  std::vector<std::int64_t> offsets;
  offsets.reserve(places.size());
  for (const Place& place : places) offsets.push_back(joined[place.joined] + place.offset);
  return offsets;
}

Joined joinHandovers(const Boxes& whole, Bytes capacity, std::uint64_t seed, double most) {
  // A few boxes that only seem to fit together spoil all: some joinings leave some of them out, and
  // some join nothing in time.
  const std::uint64_t kind = seed / 2 % 6;
  const bool joins = whole.boxes.size() <= kMostBoxes && !whole.aligned && !whole.pinned;
  Dice dice(seed);
  const double mostLooks = most * static_cast<double>(Jigsaw::kLooksOfANode);
  const auto looksOfADraw =
      mostLooks < 0x1p62 ? static_cast<std::int64_t>(mostLooks / kDraws) : kUnlimitedLooks;
  Joined fewest;
  std::int64_t looks = 0;
  for (int i = 0; i < (joins ? kDraws : 1) && static_cast<double>(looks) <= mostLooks; ++i) {
    Jigsaw jigsaw(whole, kind % 3 != 1, kind == 2 ? 5 : 0, dice);
    if (joins) {
      if (seed % 2 == 1) addHoles(jigsaw, capacity, dice, looksOfADraw);
      Joiner(jigsaw, dice, {.inTime = kind != 3, .twins = kind % 3 != 1}).run();
    }
    Joined joined = jigsaw.finish();
    looks += jigsaw.looks();
    if (i == 0 || joined.boxes.boxes.size() < fewest.boxes.boxes.size()) fewest = std::move(joined);
  }
  fewest.work = looks / Jigsaw::kLooksOfANode;
  return fewest;
}

std::uint64_t JoiningTurns::next() {
  const auto isPoorer = [&](std::uint64_t a, std::uint64_t b) {
    return static_cast<double>(paid_[a]) * static_cast<double>(worth_[b]) <
           static_cast<double>(paid_[b]) * static_cast<double>(worth_[a]);
  };
  std::uint64_t best = 1;
  for (std::uint64_t i = 2; i <= kJoiningKinds; ++i) {
    if (isPoorer(i % kJoiningKinds, best)) best = i % kJoiningKinds;
  }
  if (turns_ < kFirstKinds.size()) best = kFirstKinds[turns_];
  return ++turns_ * kJoiningKinds + best;
}

}  // namespace hw::exact
