#include "core/solver/sweep/beam.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/base/dice.h"
#include "core/solver/luby.h"

namespace hw::sweep {
namespace {

/// Scores are in these parts of a moment.
constexpr std::int64_t kParts = 16;
/// Up to so many parts of a mean life are added to a score, or taken away, by chance.
constexpr std::int64_t kNoise = 2;
/// A placement beside so many live ones counts as one; half of its work does not depend on them.
constexpr std::size_t kLiveOfAMove = 8;
/// Partial plans that are remembered, 8 bytes each: 64 MiB.
constexpr std::size_t kMostTrail = std::size_t{1} << 23U;
/// How many moments, from this one on, are looked at before a partial plan is kept.
constexpr std::size_t kMomentsAhead = 4;

/// What is live, by address.
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
  explicit Seen(std::size_t width) : table_(std::bit_ceil(8 * width), 0) {}

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

/// What is still to be placed at a moment, the same for all partial plans.
struct Ahead {
  std::int32_t time = 0;
  std::int64_t free = 0;     ///< Once all that is live then is placed.
  std::int32_t largest = 0;  ///< Of what is to be placed.
  /// By the size of a hole: what is left of it at least.
  std::vector<std::int32_t> waste{};
};

/// Pieces in the order in which they are placed.
class Beam {
 public:
  Beam(std::span<const Piece> pieces, std::int64_t capacity, const BeamOptions& options)
      : options_(options),
        capacity_(static_cast<std::int32_t>(capacity)),
        width_(std::min(options.width, kMostTrail / std::max<std::size_t>(1, pieces.size()) + 1)),
        seen_(width_),
        now_(1) {
    for (const Piece& piece : pieces) last_ = std::max(last_, static_cast<std::int32_t>(piece.end));
    const bool backwards = options.variant % 2 == 1;
    for (const Piece& piece : pieces) {
      const auto begin = static_cast<std::int32_t>(piece.begin);
      const auto end = static_cast<std::int32_t>(piece.end);
      pieces_.push_back({.begin = backwards ? last_ - end : begin,
                         .end = backwards ? last_ - begin : end,
                         .height = static_cast<std::int32_t>(piece.height),
                         .number = pieces_.size()});
    }
    sortPieces(options.variant / 2 % 2 == 1);
    measure();
  }

  BeamPlan run() {
    BeamPlan plan;
    std::int32_t time = -1;
    for (std::size_t next = 0; next < pieces_.size(); ++next) {
      if (plan.moves >= options_.moves || options_.stopped()) return plan;
      if (pieces_[next].begin != time) {
        time = pieces_[next].begin;
        end(time);
      }
      const std::size_t work = used_ * (kLiveOfAMove + now_[0].live.size());
      plan.moves += static_cast<std::int64_t>(work / (2 * kLiveOfAMove) + 1);
      place(next);
      if (used_ == 0) return plan;
    }
    plan.offsets = offsets();
    return plan;
  }

 private:
  struct Placed {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t height = 0;
    std::size_t number = 0;  ///< Of the piece, as given.
  };

  void sortPieces(bool longestFirst) {
    std::ranges::stable_sort(pieces_, [&](const Placed& a, const Placed& b) {
      if (longestFirst) {
        return std::tuple(a.begin, b.end, b.height) < std::tuple(b.begin, a.end, a.height);
      }
      return std::tuple(a.begin, b.height, b.end) < std::tuple(b.begin, a.height, a.end);
    });
  }

  void measure() {
    std::int64_t lives = 0;
    free_.assign(static_cast<std::size_t>(last_) + 1, 0);
    for (const Placed& piece : pieces_) {
      lives += piece.end - piece.begin;
      free_[static_cast<std::size_t>(piece.begin)] -= piece.height;
      free_[static_cast<std::size_t>(piece.end)] += piece.height;
    }
    free_[0] += capacity_;
    std::partial_sum(free_.begin(), free_.end(), free_.begin());
    meanLife_ = lives / std::max<std::int64_t>(1, std::ssize(pieces_));
  }

  void end(std::int32_t time) {
    for (std::size_t i = 0; i < used_; ++i) {
      std::erase_if(now_[i].live, [&](const Live& live) {
        const bool over = live.end <= time;
        if (over) now_[i].hash ^= live.hash();
        return over;
      });
    }
  }

  /// What has to find room once the pieces before `next` are placed. The sums of heights are looked
  /// at where there are at most `kMostHigh` units.
  void lookAhead(std::size_t next) {
    momentsAhead_ = 0;
    if (capacity_ > static_cast<std::int32_t>(kMostHigh)) return;
    std::size_t until = next;
    for (std::int32_t time = pieces_[next - 1].begin; momentsAhead_ < kMomentsAhead;) {
      while (until < pieces_.size() && pieces_[until].begin == time) ++until;
      look(ahead_[momentsAhead_++], time, next, until);
      if (until == pieces_.size()) return;
      time = pieces_[until].begin;
    }
  }

  /// At `time`, where the pieces [from, until) are to be placed that still live then.
  void look(Ahead& ahead, std::int32_t time, std::size_t from, std::size_t until) const {
    ahead.time = time;
    ahead.free = free_[static_cast<std::size_t>(time)];
    ahead.largest = 0;
    Sums sums;
    sums.set(0);
    for (std::size_t i = from; i < until; ++i) {
      if (pieces_[i].end <= time) continue;
      ahead.largest = std::max(ahead.largest, pieces_[i].height);
      sums |= sums << static_cast<std::size_t>(pieces_[i].height);
    }
    ahead.waste.resize(static_cast<std::size_t>(capacity_) + 1);
    std::int32_t waste = 0;
    for (std::size_t size = 0; size < ahead.waste.size(); ++size) {
      waste = sums[size] ? 0 : waste + 1;
      ahead.waste[size] = waste;
    }
  }

  /// False where what comes cannot be placed beside `live` and one more, above so many of these.
  bool isHopeful(const std::vector<Live>& live, std::size_t hole, const Live& more) const {
    for (const Ahead& ahead : std::span(ahead_).first(momentsAhead_)) {
      std::int32_t top = 0;
      std::int32_t waste = 0;
      std::int32_t largest = 0;
      const auto addHole = [&](std::int32_t bottom) {
        waste += ahead.waste[static_cast<std::size_t>(bottom - top)];
        largest = std::max(largest, bottom - top);
      };
      const auto pass = [&](const Live& one) {
        if (one.end <= ahead.time) return;
        addHole(one.bottom);
        top = one.top;
      };
      for (std::size_t i = 0; i < hole; ++i) pass(live[i]);
      pass(more);
      for (std::size_t i = hole; i < live.size(); ++i) pass(live[i]);
      addHole(capacity_);
      if (waste > ahead.free || largest < ahead.largest) return false;
    }
    return true;
  }

  /// Twice the time for which an edge is covered that lies against one that ends at `end`, and more
  /// where both end together; in `kParts` of a moment.
  std::int64_t covered(std::int32_t end, std::int32_t begin, std::int32_t otherEnd) const {
    const std::int64_t time = std::min(end, otherEnd) - begin;
    return kParts * (end == otherEnd ? 3 * time + meanLife_ : 2 * time);
  }

  void place(std::size_t next) {
    children_.clear();
    for (std::size_t i = 0; i < used_; ++i) addChildren(i, next);
    std::ranges::sort(children_, [](const Child& a, const Child& b) {
      return std::tuple(b.score, a.parent, a.hole, a.at) <
             std::tuple(a.score, b.parent, b.hole, b.at);
    });
    lookAhead(next + 1);
    seen_.clear();
    std::size_t used = 0;
    auto& trail = trail_.emplace_back();
    for (const Child& child : children_) {
      if (used == width_) break;
      const Partial& parent = now_[child.parent];
      const Live live{child.at, child.at + pieces_[next].height, pieces_[next].end};
      const std::uint64_t hash = parent.hash ^ live.hash();
      if (!seen_.add(hash) || !isHopeful(parent.live, child.hole, live)) continue;
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
  void addChildren(std::size_t parent, std::size_t next) {
    const std::vector<Live>& live = now_[parent].live;
    const auto [begin, end, height, number] = pieces_[next];
    const std::uint64_t lot = options_.variant ^ scramble(now_[parent].hash + next);
    Child best;
    Child second;
    const auto take = [&](std::size_t hole, std::int32_t at, std::int64_t cover) {
      const std::int64_t score = now_[parent].score + cover + noise(lot, at);
      if (score <= second.score) return;
      second = {score, static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(hole), at};
      if (second.score > best.score) std::swap(best, second);
    };
    for (std::size_t hole = 0; hole <= live.size(); ++hole) {
      const std::int32_t bottom = hole > 0 ? live[hole - 1].top : 0;
      const std::int32_t top = hole < live.size() ? live[hole].bottom : capacity_;
      if (top - bottom < height) continue;
      const std::int64_t below = covered(hole > 0 ? live[hole - 1].end : last_, begin, end);
      const std::int64_t above = covered(hole < live.size() ? live[hole].end : last_, begin, end);
      if (top - bottom == height) {
        take(hole, bottom, below + above);
      } else {
        take(hole, bottom, below);
        take(hole, top - height, above);
      }
    }
    constexpr auto kNone = std::numeric_limits<std::int64_t>::min();
    if (best.score != kNone) children_.push_back(best);
    if (second.score != kNone) children_.push_back(second);
  }

  /// The same for the same `lot` and place.
  std::int64_t noise(std::uint64_t lot, std::int32_t at) const {
    if (options_.variant < kFirstNoisy) return 0;
    const std::uint64_t drawn = scramble(lot ^ static_cast<std::uint64_t>(at) * kScrambleStep);
    constexpr std::uint64_t kWays = 2 * kNoise + 1;
    return (static_cast<std::int64_t>(drawn % kWays) - kNoise) * meanLife_;
  }

  std::vector<std::int64_t> offsets() const {
    std::vector<std::int64_t> offsets(pieces_.size());
    std::uint32_t at = 0;
    for (std::size_t i = trail_.size(); i-- > 0;) {
      offsets[pieces_[i].number] = trail_[i][at].at;
      at = trail_[i][at].parent;
    }
    return offsets;
  }

  struct Trace {
    std::uint32_t parent = 0;
    std::int32_t at = 0;
  };

  const BeamOptions& options_;
  std::int32_t capacity_;
  std::size_t width_;
  Seen seen_;
  std::vector<Placed> pieces_;
  std::int32_t last_ = 0;           ///< When all is over.
  std::vector<std::int64_t> free_;  ///< By moment; negative where more is live.
  std::int64_t meanLife_ = 0;       ///< What it counts that two end together.
  std::array<Ahead, kMomentsAhead> ahead_;
  std::size_t momentsAhead_ = 0;
  std::vector<Partial> now_, next_;  ///< The first `used_` of `now_`; others are kept as room.
  std::size_t used_ = 1;
  std::vector<Child> children_;
  std::vector<std::vector<Trace>> trail_;  ///< By piece placed.
};

}  // namespace

BeamPlan packByBeam(std::span<const Piece> pieces, std::int64_t capacity,
                    const BeamOptions& options) {
  return Beam(pieces, capacity, options).run();
}

}  // namespace hw::sweep

namespace hw {
namespace {

/// Beams of the first round are so wide, later ones as wide times the numbers of Luby, Sinclair and
/// Zuckerman.
constexpr std::size_t kFirstWidth = 64;
constexpr std::size_t kWidth = 256;
/// Peaks that differ by less than this part of the gap to the bound are not told apart.
constexpr std::int64_t kFineness = 16;

/// The largest number that divides all sizes.
std::int64_t unitOf(const Rectangles& rectangles) {
  std::int64_t unit = 0;
  for (const Bytes size : rectangles.size) unit = std::gcd(unit, size.count());
  return std::max<std::int64_t>(1, unit);
}

class BeamSearch {
 public:
  BeamSearch(const Rectangles& rectangles, const BeamSearchOptions& options)
      : rectangles_(rectangles), options_(options), unit_(unitOf(rectangles)) {
    result_.peak = options.below;
    for (std::size_t i = 0; i < rectangles.count(); ++i) {
      pieces_.push_back(
          {rectangles.begin[i], rectangles.end[i], rectangles.size[i].count() / unit_});
    }
  }

  BeamResult run() {
    for (round_ = 0; !over(); ++round_) narrow();
    return std::move(result_);
  }

 private:
  bool over() const {
    return result_.peak <= options_.bound || result_.moves >= mostMoves() || options_.stopped();
  }
  std::int64_t mostMoves() const {
    return result_.peak > options_.far ? options_.farMoves : options_.moves;
  }

  /// Asks for the bound, and for what lies between what was missed and the peak. Where the peak is
  /// far, later rounds ask for what is not, instead of the bound.
  void narrow() {
    const bool isFar = round_ > 0 && result_.peak > options_.far;
    std::int64_t missed = options_.bound.count();
    std::int64_t capacity = isFar ? options_.far.count() / unit_ * unit_ : missed;
    while (!over() && capacity < result_.peak.count()) {
      if (!fits(capacity)) missed = capacity;
      const std::int64_t least =
          std::max(unit_, (result_.peak - options_.bound).count() / kFineness);
      const std::int64_t half = (result_.peak.count() - missed) / 2;
      if (half < least) return;
      capacity = missed + half / unit_ * unit_;
    }
  }

  bool fits(std::int64_t capacity) {
    sweep::BeamOptions options{.width = round_ == 0 ? kFirstWidth : kWidth * lubyLength(round_),
                               .stopped = options_.stopped};
    for (std::uint64_t way = 0; way < sweep::kFirstNoisy; ++way) {
      options.variant = sweep::kFirstNoisy * round_ + way;
      options.moves = mostMoves() - result_.moves;
      const sweep::BeamPlan plan = sweep::packByBeam(pieces_, capacity / unit_, options);
      result_.moves += plan.moves;
      if (!plan.offsets) continue;
      result_.peak = Bytes();
      result_.offsets.clear();
      for (std::size_t i = 0; i < rectangles_.count(); ++i) {
        result_.offsets.emplace_back(unit_ * (*plan.offsets)[i]);
        result_.peak = std::max(result_.peak, result_.offsets.back() + rectangles_.size[i]);
      }
      if (options_.improved) options_.improved(result_.peak);
      return true;
    }
    return false;
  }

  const Rectangles& rectangles_;
  const BeamSearchOptions& options_;
  std::int64_t unit_;
  std::vector<sweep::Piece> pieces_;  ///< By position; heights in units.
  std::uint64_t round_ = 0;           ///< The first is without noise.
  BeamResult result_;
};

}  // namespace

bool isCoarse(const Rectangles& rectangles, Bytes bound) {
  constexpr std::int64_t kMostUnits = 2'048;
  return bound.count() <= kMostUnits * unitOf(rectangles);
}

BeamResult searchBeam(const Rectangles& rectangles, const BeamSearchOptions& options) {
  constexpr std::int64_t kMostUnits = std::int64_t{1} << 30U;
  const bool fits = options.below.count() / unitOf(rectangles) <= kMostUnits &&
                    rectangles.steps.size() < static_cast<std::size_t>(kMostUnits);
  if (!fits || !rectangles.pins.empty() || !rectangles.alignment.empty()) {
    return {.peak = options.below};
  }
  return BeamSearch(rectangles, options).run();
}

}  // namespace hw
