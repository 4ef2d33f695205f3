#include "core/solver/exact/jigsaw.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <span>

namespace hw::exact {
namespace {

/// At one moment: of more, too many add up by chance.
constexpr std::size_t kMostAtSeam = 12;

/// Jumps that are looked at together, neighbours in time: all their sets are tried.
constexpr std::size_t kWindow = 14;
/// Windows in a row of which nothing comes. Where there are so many jumps, hardly any was cut.
constexpr std::size_t kMostMisses = 40;
/// Of jumps that belong together, for each: how many ways to explain them are looked at.
constexpr std::size_t kExplanations = 8;
/// Work of one of them for each jump, in sums that are looked at.
constexpr std::int64_t kLooksOfADraw = 16;
/// The most boxes that begin and end at a moment where seams are counted.
constexpr std::size_t kMostToCount = 12;

/// A moment at which what is free grows (above 0) or shrinks.
struct Jump {
  std::uint32_t at = 0;
  std::int64_t by = 0;
};

struct Hole {
  Piece hull{};
  std::int64_t height = 0;
};

class HoleFinder {
 public:
  HoleFinder(Jigsaw& jigsaw, Bytes capacity, Dice& dice)
      : jigsaw_(jigsaw), room_(jigsaw.room(capacity)), dice_(dice) {
    const std::uint32_t moments = jigsaw.moments();
    for (std::uint32_t m = 0; m <= moments; ++m) {
      const std::int64_t by = (m < moments ? room_[m] : 0) - (m > 0 ? room_[m - 1] : 0);
      if (by != 0) jumps_.push_back({m, by});
    }
  }

  void run(std::int64_t most) {
    matchPairs();
    matchSets(most);
  }

 private:
  /// Holes that begin and end where no other does.
  void matchPairs() {
    std::map<std::int64_t, std::vector<std::size_t>> grown;
    std::vector<bool> used(jumps_.size());
    for (std::size_t i = 0; i < jumps_.size(); ++i) {
      const Jump& jump = jumps_[i];
      if (jump.by > 0) {
        grown[jump.by].push_back(i);
        continue;
      }
      const auto from = grown.find(-jump.by);
      if (from == grown.end() || from->second.empty()) continue;
      // Of equals mostly the nearest.
      if (dice_.chance(20)) {
        const auto last = static_cast<std::int64_t>(from->second.size()) - 1;
        std::swap(from->second.back(), from->second[static_cast<std::size_t>(dice_.roll(0, last))]);
      }
      const std::size_t other = from->second.back();
      const Hole hole{{jumps_[other].at, jump.at}, -jump.by};
      if (!isFree(hole)) continue;
      from->second.pop_back();
      used[i] = used[other] = true;
      add(hole);
    }
    std::vector<Jump> left;
    for (std::size_t i = 0; i < jumps_.size(); ++i) {
      if (!used[i]) left.push_back(jumps_[i]);
    }
    jumps_ = std::move(left);
  }

  /// Jumps that add up to nothing, no fewer of them do: holes that begin or end where others do.
  /// Which windows are looked at is drawn, so that neither direction of time is preferred.
  void matchSets(std::int64_t most) {
    for (std::size_t misses = 0;
         misses <= std::min(2 * jumps_.size() / kWindow, kMostMisses) && jigsaw_.looks() < most;) {
      const std::size_t count = std::min(kWindow, jumps_.size());
      const auto last = static_cast<std::int64_t>(jumps_.size() - count);
      misses = explainWindow(static_cast<std::size_t>(dice_.roll(0, last)), count) ? 0 : misses + 1;
    }
  }

  /// True when some of the jumps [first, first + count) were explained; they are left out then.
  bool explainWindow(std::size_t first, std::size_t count) {
    const auto window = std::span(jumps_).subspan(first, count);
    std::vector<std::int64_t> by;
    by.reserve(count);
    for (const Jump& jump : window) by.push_back(jump.by);
    jigsaw_.addLooks(std::int64_t{1} << count);
    std::vector<std::uint32_t> sets = leastSums(by);
    dice_.shuffle(sets);
    std::ranges::stable_sort(sets, {}, [](std::uint32_t set) { return std::popcount(set); });
    std::uint32_t used = 0;
    for (const std::uint32_t set : sets) {
      if ((set & used) != 0 || std::popcount(set) < 3) continue;
      std::vector<Jump> together;
      for (std::size_t i = 0; i < count; ++i) {
        if ((set >> i & 1) != 0) together.push_back(window[i]);
      }
      if (explain(together)) used |= set;
    }
    std::vector<Jump> left(jumps_.begin(), jumps_.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = first; i < jumps_.size(); ++i) {
      if (i >= first + count || (used >> (i - first) & 1) == 0) left.push_back(jumps_[i]);
    }
    jumps_ = std::move(left);
    return used != 0;
  }

  /// Holes that make these jumps, one fewer than these. Of some such the one that leaves the most
  /// seams, or any.
  bool explain(const std::vector<Jump>& jumps) {
    std::optional<std::vector<Hole>> best;
    int most = 0;
    const bool any = dice_.chance(30);
    for (std::size_t i = 0; i < kExplanations * jumps.size(); ++i) {
      jigsaw_.addLooks(kLooksOfADraw * static_cast<std::int64_t>(jumps.size()));
      const auto holes = drawHoles(jumps);
      if (!holes) continue;
      const int seams = seamsWith(jumps, *holes);
      if (best && seams <= most) continue;
      best = holes;
      most = seams;
      if (any) break;
    }
    if (!best) return false;
    for (const Hole& hole : *best) add(hole);
    return true;
  }

  /// A tree of holes between the jumps, drawn by chance; nothing where one would be negative.
  std::optional<std::vector<Hole>> drawHoles(const std::vector<Jump>& jumps) {
    std::vector<std::size_t> order(jumps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    dice_.shuffle(order);
    std::vector<std::int64_t> left;
    left.reserve(jumps.size());
    for (const Jump& jump : jumps) left.push_back(jump.by);
    std::vector<Hole> holes;
    for (std::size_t i = order.size(); i-- > 1;) {
      const std::size_t leaf = order[i];
      const auto other = static_cast<std::size_t>(dice_.roll(0, static_cast<std::int64_t>(i) - 1));
      const std::size_t to = order[other];
      // The rest of the leaf's jump goes through this one hole.
      const std::int64_t height = leaf < to ? left[leaf] : -left[leaf];
      if (height <= 0) return {};
      left[to] += left[leaf];
      const Hole hole{{jumps[std::min(leaf, to)].at, jumps[std::max(leaf, to)].at}, height};
      if (!isFree(hole)) return {};
      holes.push_back(hole);
    }
    return holes;
  }

  /// In how many ways something adds up at the moments of `jumps`, with `holes`.
  int seamsWith(const std::vector<Jump>& jumps, const std::vector<Hole>& holes) const {
    int sum = 0;
    for (const Jump& jump : jumps) {
      std::vector<std::int64_t> heights;
      for (const auto item : jigsaw_.begins(jump.at)) heights.push_back(jigsaw_.height(item));
      for (const auto item : jigsaw_.ends(jump.at)) heights.push_back(-jigsaw_.height(item));
      for (const Hole& hole : holes) {
        if (hole.hull.first == jump.at) heights.push_back(hole.height);
        if (hole.hull.last == jump.at) heights.push_back(-hole.height);
      }
      if (heights.size() > kMostToCount) continue;
      jigsaw_.addLooks(std::int64_t{1} << heights.size());
      sum += static_cast<int>(leastSums(heights).size());
    }
    return sum;
  }

  bool isFree(const Hole& hole) const {
    const auto free = [&](std::int64_t left) { return left >= hole.height; };
    return std::ranges::all_of(room_.begin() + hole.hull.first, room_.begin() + hole.hull.last,
                               free);
  }

  void add(const Hole& hole) {
    for (std::uint32_t m = hole.hull.first; m < hole.hull.last; ++m) room_[m] -= hole.height;
    jigsaw_.addHole(hole.hull, hole.height);
  }

  Jigsaw& jigsaw_;
  std::vector<std::int64_t> room_;
  Dice& dice_;
  std::vector<Jump> jumps_;
};

}  // namespace

Jigsaw::Jigsaw(const Boxes& whole, bool bySteps, int loose, Dice& dice)
    : whole_(whole), boxes_(whole.boxes), state_(boxes_.size(), State::open) {
  members_.resize(boxes_.size());
  bool gaps = false;
  for (Item i = 0; i < boxes_.size(); ++i) {
    members_[i] = {{i, 0}};
    const bool alone = loose > 0 && dice.chance(loose);
    if (alone || !isPlain(i)) state_[i] = State::alone;
    gaps |= !isPlain(i);
  }
  if (bySteps && !gaps) {
    takeSteps();
  } else {
    takeSections();
  }
  begins_.resize(moments_ + 1);
  ends_.resize(moments_ + 1);
  changedAt_.resize(moments_ + 1, 0);
  std::vector<Item> items(boxes_.size());
  std::iota(items.begin(), items.end(), 0U);
  dice.shuffle(items);
  for (const Item i : items) {
    if (isPlain(i)) enlist(i);
  }
}

void Jigsaw::takeSections() {
  moments_ = whole_.sections;
  momentOf_.resize(moments_);
  std::iota(momentOf_.begin(), momentOf_.end(), 0U);
}

void Jigsaw::takeSteps() {
  std::vector<Step> steps;
  for (const Box& box : boxes_) steps.insert(steps.end(), {box.life.begin, box.life.end});
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  moments_ = static_cast<std::uint32_t>(steps.size()) - 1;
  const auto number = [&](Step step) {
    const auto after = std::ranges::upper_bound(steps, step);
    return static_cast<std::uint32_t>(after - steps.begin()) - 1;
  };
  for (Box& box : boxes_) box.hull = {number(box.life.begin), number(box.life.end)};
  for (const Step step : whole_.moments) momentOf_.push_back(number(step));
}

/// The sections whose moments are within `hull`.
Piece Jigsaw::sectionsOf(const Piece& hull) const {
  const auto number = [&](std::uint32_t moment) {
    const auto found = std::ranges::lower_bound(momentOf_, moment);
    return static_cast<std::uint32_t>(found - momentOf_.begin());
  };
  return {number(hull.first), number(hull.last)};
}

void Jigsaw::enlist(Item item) {
  begins_[hull(item).first].push_back(item);
  ends_[hull(item).last].push_back(item);
}

void Jigsaw::strike(Item item) {
  std::erase(begins_[hull(item).first], item);
  std::erase(ends_[hull(item).last], item);
}

void Jigsaw::touch(Item item) {
  changedAt_[hull(item).first] = changedAt_[hull(item).last] = changes_;
}

std::vector<Jigsaw::Item> Jigsaw::joinable(std::uint32_t change, Dice& dice) const {
  addLooks(static_cast<std::int64_t>(boxes_.size()));
  const auto isNews = [&](std::uint32_t moment) { return changedAt(moment) >= change; };
  std::vector<Item> items;
  for (Item i = 0; i < boxes_.size(); ++i) {
    if (canJoin(i) && (isNews(hull(i).first) || isNews(hull(i).last))) items.push_back(i);
  }
  dice.shuffle(items);
  return items;
}

std::vector<std::int64_t> Jigsaw::room(Bytes capacity) const {
  std::vector<std::int64_t> change(moments_ + 1, 0);
  for (Item i = 0; i < boxes_.size(); ++i) {
    if (state_[i] == State::gone) continue;
    const Piece& own = hull(i);
    const auto gappy = whole_.pieces.begin() + boxes_[i].firstPiece;
    const std::span<const Piece> pieces =
        isPlain(i) ? std::span(&own, 1)
                   : std::span(gappy, boxes_[i].lastPiece - boxes_[i].firstPiece);
    for (const Piece& piece : pieces) {
      change[piece.first] += height(i);
      change[piece.last] -= height(i);
    }
  }
  std::partial_sum(change.begin(), change.end(), change.begin());
  change.pop_back();
  for (std::int64_t& each : change) each = capacity.count() / whole_.unit.count() - each;
  return change;
}

void Jigsaw::addHole(const Piece& hull, std::int64_t height) {
  boxes_.push_back({.height = height, .size = whole_.unit * height, .lastPiece = 1, .hull = hull});
  members_.emplace_back();
  state_.push_back(State::open);
  ++changes_;
  enlist(static_cast<Item>(boxes_.size() - 1));
  touch(static_cast<Item>(boxes_.size() - 1));
}

void Jigsaw::takeOver(Item first, Item follower) {
  ++changes_;
  stretch(first, hull(follower).last);
  absorb(first, follower, 0);
}

void Jigsaw::stack(Item below, Item above) {
  ++changes_;
  const std::int64_t offset = height(below);
  boxes_[below].height += height(above);
  absorb(below, above, offset);
}

void Jigsaw::joinWheel(const Wheel& wheel) {
  ++changes_;
  const std::int64_t low = height(wheel.bottom);
  stretch(wheel.bottom, hull(wheel.right).last);
  boxes_[wheel.bottom].height += height(wheel.left);
  absorb(wheel.bottom, wheel.right, 0);
  absorb(wheel.bottom, wheel.left, low);
  absorb(wheel.bottom, wheel.middle, low);
  absorb(wheel.bottom, wheel.top, low + height(wheel.middle));
}

void Jigsaw::stretch(Item item, std::uint32_t end) {
  std::erase(ends_[hull(item).last], item);
  touch(item);
  boxes_[item].hull.last = end;
  ends_[end].push_back(item);
}

/// `other` lies `offset` units above the bottom of `into` from now on.
void Jigsaw::absorb(Item into, Item other, std::int64_t offset) {
  boxes_[into].steps += boxes_[other].steps;
  boxes_[into].size = std::max(boxes_[into].size, whole_.unit * offset + boxes_[other].size);
  for (const auto& [box, inner] : members_[other]) {
    members_[into].emplace_back(box, inner + offset);
  }
  members_[other].clear();
  strike(other);
  touch(other);
  state_[other] = State::gone;
}

Joined Jigsaw::finish() const {
  Joined joined;
  joined.boxes = {.sections = whole_.sections,
                  .moments = whole_.moments,
                  .unit = whole_.unit,
                  .aligned = whole_.aligned,
                  .pinned = whole_.pinned};
  joined.places.resize(whole_.boxes.size());
  for (Item i = 0; i < boxes_.size(); ++i) {
    if (state_[i] == State::gone || members_[i].empty()) continue;
    Box box = boxes_[i];
    std::vector<Piece>& pieces = joined.boxes.pieces;
    box.firstPiece = static_cast<std::uint32_t>(pieces.size());
    if (isPlain(i)) {
      box.hull = sectionsOf(box.hull);
      pieces.push_back(box.hull);
    } else {
      const auto own = whole_.piecesOf(boxes_[i]);
      pieces.insert(pieces.end(), own.begin(), own.end());
    }
    box.lastPiece = static_cast<std::uint32_t>(pieces.size());
    const auto number = static_cast<std::uint32_t>(joined.boxes.boxes.size());
    joined.boxes.boxes.push_back(box);
    for (const auto& [member, inner] : members_[i]) joined.places[member] = {number, inner};
  }
  return joined;
}

std::vector<std::int64_t> Jigsaw::offsetsOf(std::span<const Item> items,
                                            const std::vector<std::int64_t>& offsets) const {
  std::vector<std::int64_t> all(whole_.boxes.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const auto& [member, inner] : members_[items[i]]) all[member] = offsets[i] + inner;
  }
  return all;
}

std::vector<std::uint32_t> leastSums(const std::vector<std::int64_t>& numbers) {
  const std::uint32_t sets = std::uint32_t{1} << numbers.size();
  std::vector<std::int64_t> sum(sets, 0);
  std::vector<std::uint32_t> sums;
  for (std::uint32_t set = 1; set < sets; ++set) {
    sum[set] = sum[set & (set - 1)] + numbers[static_cast<std::size_t>(std::countr_zero(set))];
    if (sum[set] == 0) sums.push_back(set);
  }
  std::ranges::stable_sort(sums, {}, [](std::uint32_t set) { return std::popcount(set); });
  std::vector<std::uint32_t> least;
  for (const std::uint32_t set : sums) {
    const auto within = [&](std::uint32_t other) { return (set & other) == other; };
    if (std::ranges::none_of(least, within)) least.push_back(set);
  }
  return least;
}

const Seams::Known& Seams::look(std::uint32_t moment) {
  Known& known = known_[moment];
  if (known.change == jigsaw_.changedAt(moment)) return known;
  known = {.change = jigsaw_.changedAt(moment)};
  const auto begins = jigsaw_.begins(moment);
  const auto ends = jigsaw_.ends(moment);
  if (begins.size() + ends.size() > kMostAtSeam) return known;
  std::vector<std::int64_t> heights;
  std::int64_t left = 0;
  const auto add = [&](Item item, std::int64_t height) {
    known.items.push_back(item);
    heights.push_back(height);
    left += height;
  };
  for (const Item item : begins) add(item, jigsaw_.height(item));
  for (const Item item : ends) add(item, -jigsaw_.height(item));
  known.open = left != 0;
  if (known.open) add(static_cast<Item>(jigsaw_.count()), -left);
  jigsaw_.addLooks(std::int64_t{1} << heights.size());
  known.sums = leastSums(heights);
  return known;
}

std::size_t Seams::count(std::uint32_t moment, Item item) {
  const Known& known = look(moment);
  const auto found = std::ranges::find(known.items, item);
  if (found == known.items.end()) return 0;
  const auto bit = std::uint32_t{1} << (found - known.items.begin());
  return static_cast<std::size_t>(
      std::ranges::count_if(known.sums, [&](std::uint32_t set) { return (set & bit) != 0; }));
}

Seams::Relation Seams::relation(std::uint32_t moment, Item a, Item b) {
  const Known& known = look(moment);
  const auto bitOf = [&](Item item) {
    const auto found = std::ranges::find(known.items, item);
    if (found == known.items.end()) return std::uint32_t{0};
    return std::uint32_t{1} << (found - known.items.begin());
  };
  const std::uint32_t bitA = bitOf(a);
  const std::uint32_t bitB = bitOf(b);
  const std::uint32_t missing = known.open ? std::uint32_t{1} << (known.items.size() - 1) : 0;
  bool onlyA = false;
  bool onlyB = false;
  bool loosely = false;
  for (const std::uint32_t set : known.sums) {
    const bool hasA = (set & bitA) != 0;
    const bool hasB = (set & bitB) != 0;
    if (hasA && hasB && (set & missing) == 0) return Relation::together;
    loosely |= hasA && hasB;
    onlyA |= hasA && !hasB;
    onlyB |= hasB && !hasA;
  }
  if (loosely) return Relation::loosely;
  return onlyA && onlyB ? Relation::apart : Relation::unknown;
}

void addHoles(Jigsaw& jigsaw, Bytes capacity, Dice& dice, std::int64_t most) {
  HoleFinder(jigsaw, capacity, dice).run(most);
}

void fillRoom(Jigsaw& jigsaw, Bytes capacity) {
  struct Open {
    std::uint32_t begin = 0;
    std::int64_t height = 0;
  };
  std::vector<std::int64_t> room = jigsaw.room(capacity);
  room.push_back(0);
  std::vector<Open> open;
  std::int64_t filled = 0;
  for (std::uint32_t m = 0; m < room.size(); ++m) {
    if (room[m] > filled) open.push_back({m, room[m] - filled});
    while (filled > room[m]) {
      Open& last = open.back();
      const std::int64_t ends = std::min(last.height, filled - room[m]);
      jigsaw.addHole({last.begin, m}, ends);
      filled -= ends;
      last.height -= ends;
      if (last.height == 0) open.pop_back();
    }
    filled = room[m];
  }
}

}  // namespace hw::exact
