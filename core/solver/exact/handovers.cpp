#include "core/solver/exact/handovers.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "core/base/dice.h"

namespace hw::exact {
namespace {

constexpr std::size_t kMostBoxes = 5'000;
/// Of one place in time, so that trying all fours stays quick.
constexpr std::size_t kMostSideBySide = 12;
constexpr std::size_t kMostAtBoundary = 50;

using Item = std::uint32_t;

class Joiner {
 public:
  struct Kind {
    int loose = 0;  ///< Percent of the boxes that are joined with none.
    bool inTime = true;
  };

  Joiner(const Boxes& whole, std::uint64_t seed, Kind kind)
      : whole_(whole), kind_(kind), dice_(seed) {
    boxes_ = whole.boxes;
    loose_.resize(boxes_.size());
    for (std::size_t i = 0; kind.loose > 0 && i < loose_.size(); ++i) {
      loose_[i] = dice_.chance(kind.loose);
    }
    members_.resize(boxes_.size());
    for (Item i = 0; i < boxes_.size(); ++i) members_[i] = {{i, 0}};
  }

  /// Boxes that hold nothing, where what is free in `capacity` looks as if one had been taken out:
  /// it grows at one boundary and shrinks by as much at a later one. What is joined with them keeps
  /// these bytes free.
  void addHoles(Bytes capacity) {
    std::vector<std::int64_t> room(whole_.sections, capacity.count() / whole_.unit.count());
    for (const Box& box : whole_.boxes) {
      for (const Piece& piece : whole_.piecesOf(box)) {
        for (std::uint32_t s = piece.first; s < piece.last; ++s) room[s] -= box.height;
      }
    }
    std::vector<Jump> up;
    std::vector<Jump> down;
    for (std::uint32_t s = 0; s <= whole_.sections; ++s) {
      const std::int64_t by = (s < whole_.sections ? room[s] : 0) - (s > 0 ? room[s - 1] : 0);
      if (by > 0) up.push_back({s, by});
      if (by < 0) down.push_back({s, -by});
    }
    const auto addHole = [&](const Jump& from, const Jump& to, std::int64_t height) {
      const auto free = [&](std::int64_t left) { return left >= height; };
      if (from.at >= to.at ||
          !std::ranges::all_of(room.begin() + from.at, room.begin() + to.at, free)) {
        return false;
      }
      boxes_.push_back({.height = height,
                        .size = whole_.unit * height,
                        .lastPiece = 1,
                        .hull = {from.at, to.at}});
      members_.emplace_back();
      return true;
    };
    matchOne(up, down, addHole);
    matchTwo(up, down, addHole);
  }

  Joined run() {
    gone_.resize(boxes_.size());
    loose_.resize(boxes_.size());
    if (whole_.boxes.size() <= kMostBoxes && !whole_.aligned && !whole_.pinned) {
      while ((kind_.inTime && joinInTime()) | joinSideBySide() | joinWheels()) {
      }
    }
    return finish();
  }

 private:
  /// A boundary at which what is free grows or shrinks.
  struct Jump {
    std::uint32_t at = 0;
    std::int64_t by = 0;
    bool used = false;
  };

  /// Holes that begin and end where no other does.
  template <class Add>
  static void matchOne(std::vector<Jump>& up, std::vector<Jump>& down, const Add& add) {
    for (Jump& to : down) {
      for (Jump& from : up) {
        if (to.used) break;
        if (!from.used && from.by == to.by) from.used = to.used = add(from, to, to.by);
      }
    }
  }

  /// Two that end, or begin, together; or one that begins where another ends.
  template <class Add>
  static void matchTwo(std::vector<Jump>& up, std::vector<Jump>& down, const Add& add) {
    for (Jump& a : up) {
      for (Jump& b : up) {
        for (Jump& to : down) {
          if (a.used || b.used || to.used || &a == &b || a.by + b.by != to.by) continue;
          a.used = b.used = to.used = add(a, to, a.by) && add(b, to, b.by);
        }
      }
      for (Jump& to : down) {
        for (Jump& other : down) {
          if (a.used || to.used || other.used || &to == &other) continue;
          if (to.by + other.by != a.by) continue;
          a.used = to.used = other.used = add(a, to, to.by) && add(a, other, other.by);
        }
        for (Jump& turn : up) {
          if (a.used || to.used || turn.used || &a == &turn || to.by - a.by != turn.by) continue;
          a.used = to.used = turn.used = add(a, turn, a.by) && add(turn, to, to.by);
        }
        for (Jump& turn : down) {
          if (a.used || to.used || turn.used || &to == &turn || a.by - to.by != turn.by) continue;
          a.used = to.used = turn.used = add(a, turn, a.by) && add(turn, to, to.by);
        }
      }
    }
  }

  bool isPlain(Item i) const { return boxes_[i].lastPiece - boxes_[i].firstPiece == 1; }
  bool canJoin(Item i) const { return !gone_[i] && !loose_[i] && isPlain(i); }

  std::vector<Item> joinable() {
    std::vector<Item> items;
    for (Item i = 0; i < boxes_.size(); ++i) {
      if (canJoin(i)) items.push_back(i);
    }
    dice_.shuffle(items);
    return items;
  }

  /// Boxes by a boundary between sections and their height.
  using Index = std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<Item>>;
  using Side = std::uint32_t Piece::*;

  /// By where they begin (`&Piece::first`) or end.
  Index index(Side side) {
    Index found;
    for (const Item i : joinable()) found[{boxes_[i].hull.*side, boxes_[i].height}].push_back(i);
    return found;
  }

  /// Those of the index that are still as they were when it was made.
  std::vector<Item> at(const Index& index, Side side, std::uint32_t where, std::int64_t height) {
    std::vector<Item> items;
    const auto found = index.find({where, height});
    if (found == index.end()) return items;
    for (const Item i : found->second) {
      const bool same = canJoin(i) && boxes_[i].hull.*side == where && boxes_[i].height == height;
      if (same) items.push_back(i);
    }
    return items;
  }

  /// The same of any height.
  std::vector<Item> at(const Index& index, Side side, std::uint32_t where) {
    std::vector<Item> items;
    for (auto found = index.lower_bound({where, 0}); found != index.end(); ++found) {
      if (found->first.first != where) break;
      const auto more = at(index, side, where, found->first.second);
      items.insert(items.end(), more.begin(), more.end());
    }
    return items;
  }

  bool joinInTime() {
    const Index begins = index(&Piece::first);
    bool any = false;
    for (const Item i : joinable()) {
      while (canJoin(i)) {
        const auto next = at(begins, &Piece::first, boxes_[i].hull.last, boxes_[i].height);
        if (next.empty()) break;
        takeOver(i, next.back());
        any = true;
      }
    }
    return any;
  }

  bool joinSideBySide() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Item>> groups;
    for (const Item i : joinable()) {
      groups[{boxes_[i].hull.first, boxes_[i].hull.last}].push_back(i);
    }
    const Index begins = index(&Piece::first);
    const Index ends = index(&Piece::last);
    bool any = false;
    for (auto& [span, group] : groups) {
      if (group.size() < 2) continue;
      if (group.size() > kMostSideBySide) group.resize(kMostSideBySide);
      std::set<std::int64_t> wanted;
      addHeights(at(ends, &Piece::last, span.first), wanted);
      addHeights(at(begins, &Piece::first, span.second), wanted);
      any |= joinWanted(group, wanted);
    }
    return any;
  }

  /// The heights of `items`, and of any two of them together.
  void addHeights(const std::vector<Item>& items, std::set<std::int64_t>& heights) const {
    if (items.size() > kMostAtBoundary) return;
    for (std::size_t i = 0; i < items.size(); ++i) {
      heights.insert(boxes_[items[i]].height);
      for (std::size_t k = i + 1; k < items.size(); ++k) {
        heights.insert(boxes_[items[i]].height + boxes_[items[k]].height);
      }
    }
  }

  /// Joins the first subset of `group` whose heights add up to one that is wanted.
  bool joinWanted(const std::vector<Item>& group, const std::set<std::int64_t>& wanted) {
    const std::uint32_t all = std::uint32_t{1} << group.size();
    for (int size = 2; size <= 4; ++size) {
      for (std::uint32_t set = 0; set < all; ++set) {
        if (std::popcount(set) != size) continue;
        std::int64_t height = 0;
        std::vector<Item> chosen;
        for (std::size_t k = 0; k < group.size(); ++k) {
          if ((set >> k & 1) == 0) continue;
          chosen.push_back(group[k]);
          height += boxes_[group[k]].height;
        }
        if (!wanted.contains(height)) continue;
        for (std::size_t k = 1; k < chosen.size(); ++k) stack(chosen[0], chosen[k]);
        return true;
      }
    }
    return false;
  }

  bool joinWheels() {
    const Index begins = index(&Piece::first);
    const Index ends = index(&Piece::last);
    bool any = false;
    for (const Item middle : joinable()) {
      any |= canJoin(middle) && joinAround(middle, begins, ends);
    }
    return any;
  }

  /// Four around a middle:
  ///
  ///     | left |   top        |      left = middle + top, where it ends and they begin;
  ///     |      |--------------|      right = bottom + middle, where it begins and they end.
  ///     |      |middle|       |
  ///     |-------------| right |
  ///     |   bottom    |       |
  bool joinAround(Item middle, const Index& begins, const Index& ends) {
    const auto [from, to] = boxes_[middle].hull;
    const std::int64_t height = boxes_[middle].height;
    for (const Item left : at(ends, &Piece::last, from)) {
      for (const Item top : at(begins, &Piece::first, from, boxes_[left].height - height)) {
        for (const Item right : at(begins, &Piece::first, to)) {
          if (boxes_[right].hull.last != boxes_[top].hull.last) continue;
          for (const Item bottom : at(ends, &Piece::last, to, boxes_[right].height - height)) {
            if (boxes_[bottom].hull.first != boxes_[left].hull.first) continue;
            joinWheel(left, top, middle, bottom, right);
            return true;
          }
        }
      }
    }
    return false;
  }

  void joinWheel(Item left, Item top, Item middle, Item bottom, Item right) {
    Box& wheel = boxes_[bottom];
    const std::int64_t low = wheel.height;
    wheel.hull.last = boxes_[right].hull.last;
    wheel.height += boxes_[left].height;
    absorb(bottom, right, 0);
    absorb(bottom, left, low);
    absorb(bottom, middle, low);
    absorb(bottom, top, low + boxes_[middle].height);
  }

  void takeOver(Item first, Item follower) {
    boxes_[first].hull.last = boxes_[follower].hull.last;
    absorb(first, follower, 0);
  }

  void stack(Item below, Item above) {
    const std::int64_t height = boxes_[below].height;
    boxes_[below].height += boxes_[above].height;
    absorb(below, above, height);
  }

  /// `other` lies `offset` units above the bottom of `into` from now on.
  void absorb(Item into, Item other, std::int64_t offset) {
    boxes_[into].steps += boxes_[other].steps;
    boxes_[into].size = std::max(boxes_[into].size, whole_.unit * offset + boxes_[other].size);
    for (const auto& [box, inner] : members_[other]) {
      members_[into].emplace_back(box, inner + offset);
    }
    members_[other].clear();
    gone_[other] = true;
  }

  Joined finish() {
    Joined joined;
    joined.boxes = {.sections = whole_.sections,
                    .unit = whole_.unit,
                    .aligned = whole_.aligned,
                    .pinned = whole_.pinned};
    joined.places.resize(whole_.boxes.size());
    for (Item i = 0; i < boxes_.size(); ++i) {
      if (gone_[i] || members_[i].empty()) continue;
      Box box = boxes_[i];
      const bool plain = isPlain(i);
      box.firstPiece = static_cast<std::uint32_t>(joined.boxes.pieces.size());
      if (plain) joined.boxes.pieces.push_back(box.hull);
      for (std::uint32_t p = boxes_[i].firstPiece; !plain && p < boxes_[i].lastPiece; ++p) {
        joined.boxes.pieces.push_back(whole_.pieces[p]);
      }
      box.lastPiece = static_cast<std::uint32_t>(joined.boxes.pieces.size());
      const auto number = static_cast<std::uint32_t>(joined.boxes.boxes.size());
      joined.boxes.boxes.push_back(box);
      for (const auto& [member, inner] : members_[i]) joined.places[member] = {number, inner};
    }
    return joined;
  }

  const Boxes& whole_;
  Kind kind_;
  Dice dice_;
  std::vector<Box> boxes_;
  std::vector<std::vector<std::pair<Item, std::int64_t>>> members_;
  std::vector<bool> gone_;
  std::vector<bool> loose_;
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
  Joiner joiner(whole, seed, {.loose = kind == 2 ? 5 : 0, .inTime = kind != 3});
  if (seed % 2 == 1) joiner.addHoles(capacity);
  return joiner.run();
}

}  // namespace hw::exact
