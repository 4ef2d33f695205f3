#include "core/solver/sweep/beam.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/base/dice.h"

namespace hw {
namespace {

constexpr std::size_t kWidthGrowth = 4;
/// Partial plans that a sweep remembers, 8 bytes each: 64 MiB.
constexpr std::size_t kMostTrail = std::size_t{1} << 23U;
/// Peaks that differ by less than this part of the gap to the bound are not told apart.
constexpr std::int64_t kFineness = 16;

/// An order in which rectangles are placed, that of their begins, which are their ends where time
/// runs backwards.
struct Way {
  std::vector<std::uint32_t> order{};
  std::vector<std::int32_t> begin{};  ///< By position: rank.
  std::vector<std::int32_t> end{};
};

/// The largest number that divides all sizes.
std::int64_t unitOf(const Rectangles& rectangles) {
  std::int64_t unit = 0;
  for (const Bytes size : rectangles.size) unit = std::gcd(unit, size.count());
  return std::max<std::int64_t>(1, unit);
}

/// Of those that begin together, the first is the highest, or the one that ends last.
enum class Together : std::uint8_t { highest, longest };

Way wayOf(const Rectangles& rectangles, bool backwards, Together together) {
  Way way;
  const auto last = static_cast<std::int32_t>(rectangles.steps.size()) - 1;
  for (std::size_t i = 0; i < rectangles.count(); ++i) {
    const auto begin = static_cast<std::int32_t>(rectangles.begin[i]);
    const auto end = static_cast<std::int32_t>(rectangles.end[i]);
    way.begin.push_back(backwards ? last - end : begin);
    way.end.push_back(backwards ? last - begin : end);
  }
  way.order.resize(rectangles.count());
  std::iota(way.order.begin(), way.order.end(), 0U);
  std::ranges::stable_sort(way.order, [&](std::uint32_t a, std::uint32_t b) {
    if (way.begin[a] != way.begin[b]) return way.begin[a] < way.begin[b];
    const auto higher = rectangles.size[a] <=> rectangles.size[b];
    const auto longer = way.end[a] <=> way.end[b];
    const auto first = together == Together::highest ? higher : longer;
    const auto second = together == Together::highest ? longer : higher;
    return first != 0 ? first > 0 : second > 0;
  });
  return way;
}

/// What is live, by address, in units.
struct Live {
  std::int32_t bottom = 0;
  std::int32_t top = 0;
  std::int32_t end = 0;

  std::uint64_t hash() const {
    const auto place = static_cast<std::uint64_t>(bottom) << 32U | static_cast<std::uint64_t>(top);
    return scramble(scramble(place) + static_cast<std::uint64_t>(end));
  }
};

/// All but what has ended: partial plans that agree in it have the same future.
struct Partial {
  std::vector<Live> live{};
  std::int64_t score = 0;
  std::uint64_t hash = 0;
};

/// A partial plan and one more.
struct Child {
  std::int64_t score = std::numeric_limits<std::int64_t>::min();
  std::uint32_t parent = 0;
  std::uint32_t hole = 0;  ///< Above so many live ones.
  std::int32_t at = 0;
};

/// Sets of hashes.
class Seen {
 public:
  explicit Seen(std::size_t width) : table_(std::bit_ceil(4 * width), 0) {}

  void clear() { std::ranges::fill(table_, 0); }
  /// False where it was there.
  bool add(std::uint64_t hash) {
    hash |= 1;
    std::size_t at = hash >> 1U & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1)) {
      if (table_[at] == hash) return false;
    }
    table_[at] = hash;
    return true;
  }

 private:
  std::vector<std::uint64_t> table_;
};

class Sweep {
 public:
  /// Sizes, by position, and the capacity are in units.
  Sweep(const std::vector<std::int32_t>& sizes, const Way& way, std::int32_t capacity,
        std::size_t width)
      : sizes_(sizes), way_(way), capacity_(capacity), width_(width), seen_(width) {
    std::int64_t lives = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      lives += way.end[i] - way.begin[i];
      last_ = std::max(last_, way.end[i]);
    }
    together_ = lives / std::max<std::int64_t>(1, std::ssize(sizes));
    now_.resize(1);
    used_ = 1;
  }

  /// Offsets by position, in units; nothing: none was found, or `stopped`. Counts placements.
  std::optional<std::vector<std::int32_t>> run(std::int64_t& moves,
                                               const std::function<bool()>& stopped) {
    std::int32_t time = -1;
    for (const std::uint32_t position : way_.order) {
      if (way_.begin[position] != time) {
        if (stopped()) return std::nullopt;
        time = way_.begin[position];
        end(time);
      }
      moves += static_cast<std::int64_t>(used_);
      place(position);
      if (used_ == 0) return std::nullopt;
    }
    return offsets();
  }

 private:
  void end(std::int32_t time) {
    for (std::size_t i = 0; i < used_; ++i) {
      std::erase_if(now_[i].live, [&](const Live& live) {
        const bool over = live.end <= time;
        if (over) now_[i].hash ^= live.hash();
        return over;
      });
    }
  }

  /// Twice the time for which an edge is covered that lies against one that ends at `end`.
  std::int64_t covered(std::int32_t end, std::int32_t begin, std::int32_t otherEnd) const {
    const std::int64_t time = std::min(end, otherEnd) - begin;
    return end == otherEnd ? 3 * time + together_ : 2 * time;
  }

  void place(std::uint32_t position) {
    children_.clear();
    for (std::size_t i = 0; i < used_; ++i) addChildren(static_cast<std::uint32_t>(i), position);
    std::ranges::sort(children_, [](const Child& a, const Child& b) {
      return std::tuple(b.score, a.parent, a.hole, a.at) <
             std::tuple(a.score, b.parent, b.hole, b.at);
    });
    seen_.clear();
    std::size_t used = 0;
    auto& trail = trail_.emplace_back();
    for (const Child& child : children_) {
      if (used == width_) break;
      const Partial& parent = now_[child.parent];
      const Live live{child.at, child.at + sizes_[position], way_.end[position]};
      const std::uint64_t hash = parent.hash ^ live.hash();
      if (!seen_.add(hash)) continue;
      if (used == next_.size()) next_.emplace_back();
      Partial& made = next_[used++];
      made.live.clear();
      const auto hole = parent.live.begin() + child.hole;
      made.live.insert(made.live.end(), parent.live.begin(), hole);
      made.live.push_back(live);
      made.live.insert(made.live.end(), hole, parent.live.end());
      made.score = child.score;
      made.hash = hash;
      trail.push_back({child.parent, child.at});
    }
    now_.swap(next_);
    used_ = used;
  }

  /// The two best ways to place one more on a partial plan.
  void addChildren(std::uint32_t parent, std::uint32_t position) {
    const std::vector<Live>& live = now_[parent].live;
    const std::int32_t size = sizes_[position];
    const std::int32_t begin = way_.begin[position];
    const std::int32_t end = way_.end[position];
    Child best;
    Child second;
    const auto take = [&](std::size_t hole, std::int32_t at, std::int64_t cover) {
      const std::int64_t score = now_[parent].score + cover;
      if (score <= second.score) return;
      second = {score, parent, static_cast<std::uint32_t>(hole), at};
      if (second.score > best.score) std::swap(best, second);
    };
    for (std::size_t hole = 0; hole <= live.size(); ++hole) {
      const std::int32_t bottom = hole > 0 ? live[hole - 1].top : 0;
      const std::int32_t top = hole < live.size() ? live[hole].bottom : capacity_;
      if (top - bottom < size) continue;
      const std::int64_t below = covered(hole > 0 ? live[hole - 1].end : last_, begin, end);
      const std::int64_t above = covered(hole < live.size() ? live[hole].end : last_, begin, end);
      if (top - bottom == size) {
        take(hole, bottom, below + above);
      } else {
        take(hole, bottom, below);
        take(hole, top - size, above);
      }
    }
    constexpr auto kNone = std::numeric_limits<std::int64_t>::min();
    if (best.score != kNone) children_.push_back(best);
    if (second.score != kNone) children_.push_back(second);
  }

  std::vector<std::int32_t> offsets() const {
    std::vector<std::int32_t> offsets(sizes_.size());
    std::uint32_t at = 0;
    for (std::size_t i = trail_.size(); i-- > 0;) {
      offsets[way_.order[i]] = trail_[i][at].at;
      at = trail_[i][at].parent;
    }
    return offsets;
  }

  struct Placed {
    std::uint32_t parent = 0;
    std::int32_t at = 0;
  };

  const std::vector<std::int32_t>& sizes_;
  const Way& way_;
  std::int32_t capacity_;
  std::size_t width_;
  Seen seen_;
  std::int64_t together_ = 0;        ///< What it counts that two end together: a mean life.
  std::int32_t last_ = 0;            ///< When all is over.
  std::vector<Partial> now_, next_;  ///< The first `used_` of `now_`; others are kept as room.
  std::size_t used_ = 0;
  std::vector<Child> children_;
  std::vector<std::vector<Placed>> trail_;  ///< By place in the order.
};

class BeamSearch {
 public:
  BeamSearch(const Rectangles& rectangles, const BeamOptions& options)
      : rectangles_(rectangles), options_(options), unit_(unitOf(rectangles)) {
    result_.peak = options.below;
    for (const Bytes size : rectangles.size) {
      sizes_.push_back(static_cast<std::int32_t>(size.count() / unit_));
    }
    for (const Together together : {Together::highest, Together::longest}) {
      for (const bool backwards : {false, true}) {
        ways_.push_back(wayOf(rectangles, backwards, together));
      }
    }
  }

  BeamResult run() {
    const std::size_t most = kMostTrail / std::max<std::size_t>(1, rectangles_.count());
    for (std::size_t width = options_.width; !over() && width <= most; width *= kWidthGrowth) {
      narrow(width);
    }
    return std::move(result_);
  }

 private:
  bool over() const {
    return result_.peak <= options_.bound || result_.moves >= options_.moves || options_.stopped();
  }

  /// Asks for the bound, and for what lies between what was missed and the peak.
  void narrow(std::size_t width) {
    std::int64_t missed = options_.bound.count();
    std::int64_t capacity = options_.bound.count();
    while (!over() && capacity < result_.peak.count()) {
      if (!fits(capacity, width)) missed = capacity;
      const std::int64_t least =
          std::max(unit_, (result_.peak - options_.bound).count() / kFineness);
      const std::int64_t half = (result_.peak.count() - missed) / 2;
      if (half < least) return;
      capacity = missed + half / unit_ * unit_;
    }
  }

  bool fits(std::int64_t capacity, std::size_t width) {
    for (const Way& way : ways_) {
      const auto units = static_cast<std::int32_t>(capacity / unit_);
      const auto offsets =
          Sweep(sizes_, way, units, width).run(result_.moves, [this] { return over(); });
      if (!offsets) continue;
      result_.peak = Bytes();
      result_.offsets.clear();
      for (std::size_t i = 0; i < offsets->size(); ++i) {
        result_.offsets.emplace_back(unit_ * (*offsets)[i]);
        result_.peak = std::max(result_.peak, result_.offsets.back() + rectangles_.size[i]);
      }
      if (options_.improved) options_.improved(result_.peak);
      return true;
    }
    return false;
  }

  const Rectangles& rectangles_;
  const BeamOptions& options_;
  std::int64_t unit_;
  std::vector<std::int32_t> sizes_;  ///< By position, in units.
  std::vector<Way> ways_;
  BeamResult result_;
};

}  // namespace

bool isCoarse(const Rectangles& rectangles, Bytes bound) {
  constexpr std::int64_t kMostUnits = 2'048;
  return bound.count() <= kMostUnits * unitOf(rectangles);
}

BeamResult searchBeam(const Rectangles& rectangles, const BeamOptions& options) {
  constexpr std::int64_t kMostUnits = std::int64_t{1} << 30U;
  const bool fits = options.below.count() / unitOf(rectangles) <= kMostUnits &&
                    rectangles.steps.size() < static_cast<std::size_t>(kMostUnits);
  if (!fits || !rectangles.pins.empty() || !rectangles.alignment.empty()) {
    return {.peak = options.below};
  }
  return BeamSearch(rectangles, options).run();
}

}  // namespace hw
