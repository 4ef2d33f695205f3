#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "core/solver/exact/jigsaw.h"
#include "core/solver/exact/seams.h"

namespace hw::exact {
namespace {

/// Jumps that are looked at together, neighbours in time: all their sets are tried.
constexpr std::size_t kWindow = 14;
/// Windows in a row of which nothing comes. Where there are so many jumps, hardly any was cut.
constexpr std::size_t kMostMisses = 40;
/// Of jumps that belong together, for each: how many ways to explain them are looked at.
constexpr std::size_t kExplanations = 8;
/// What begins and ends at one moment, at most, for seams to count.
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

  void run() {
    matchPairs();
    matchSets();
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
  void matchSets() {
    for (std::size_t misses = 0; misses <= std::min(2 * jumps_.size() / kWindow, kMostMisses);) {
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
      // What the leaf still needs goes through this one hole.
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

void addHoles(Jigsaw& jigsaw, Bytes capacity, Dice& dice) {
  HoleFinder(jigsaw, capacity, dice).run();
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
