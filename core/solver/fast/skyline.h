#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

/// The rectangles still to be placed, by position, ready to answer "which of those that begin in
/// here and end by then comes first?". A tree of `kFanout` children a node keeps the earliest end
/// and the highest priority of each subtree; a subtree where either rules it out is not entered.
///
/// O(n) to fill, O(log n) to erase; a question costs O(log n) nodes and some dozen on the usual
/// problems, more where long stays of high priority hide short ones: from `kMany` on, a question
/// that has found something then makes do with it.
class Unplaced {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Makes all positions unplaced. `ends` are ranks below kNone, priorities are above zero.
  void fill(std::span<const std::uint32_t> ends, std::span<const float> priorities);

  /// Takes one position out.
  void erase(std::uint32_t position);

  /// The position in [first, last) of the highest priority among those that end by `end` and that
  /// `fits` accepts, always the same of equals; kNone when there is none. Of many, one that may be
  /// a little less than the highest.
  template <class Fits>
  std::uint32_t find(std::uint32_t first, std::uint32_t last, std::uint32_t end,
                     const Fits& fits) const {
    Search<Fits> search{.tree = *this, .end = end, .fits = fits};
    if (last - first <= 2 * kFanout) {
      search.scan(first, last);
    } else {
      search.cover(first, last);
    }
    return search.found;
  }

 private:
  static constexpr std::uint32_t kFanout = 8;
  static constexpr float kGone = 0;  ///< Priority of what is placed.
  /// Positions from which on questions lose patience: a packing of a million takes half the time,
  /// and is as low.
  static constexpr std::size_t kMany = 200'000;
  static constexpr std::uint32_t kPatience = 8;  ///< Nodes entered, then the best so far will do.

  struct Level {
    std::vector<std::uint32_t> end{};
    std::vector<float> priority{};
  };
  /// Not initialised: each question makes room for many, and uses few.
  struct Node {
    std::uint32_t level;
    std::uint32_t index;
    float priority;
  };

  template <class Fits>
  struct Search {
    const Unplaced& tree;
    std::uint32_t end;
    const Fits& fits;
    float best = kGone;
    std::uint32_t found = kNone;
    std::uint32_t entered = 0;

    void scan(std::uint32_t first, std::uint32_t last) {
      const Level& leaves = tree.levels_.front();
      for (std::uint32_t at = first; at < last; ++at) {
        if (leaves.end[at] > end || leaves.priority[at] <= best || !fits(at)) continue;
        best = leaves.priority[at];
        found = at;
      }
    }
    /// True if what a node promises is not worth a look.
    bool enough(float priority) const {
      return priority <= best || (entered > tree.patience_ && found != kNone);
    }
    void cover(std::uint32_t first, std::uint32_t last);
    void descend(Node node);
  };

  std::vector<Level> levels_;  ///< Leaves first; each padded to whole groups of kFanout.
  std::uint32_t patience_ = 0;
};

/// Splits [first, last) into whole subtrees and searches them, most promising first.
template <class Fits>
void Unplaced::Search<Fits>::cover(std::uint32_t first, std::uint32_t last) {
  std::array<Node, std::size_t{2} * kFanout * 12> nodes;
  std::size_t count = 0;
  for (std::uint32_t level = 0; first < last; ++level) {
    const Level& here = tree.levels_[level];
    const auto take = [&](std::uint32_t index) {
      const float priority = here.priority[index];
      if (here.end[index] <= end && priority > best) nodes[count++] = {level, index, priority};
    };
    const bool top = level + 1 == tree.levels_.size();
    while (first < last && (top || first % kFanout != 0)) take(first++);
    while (first < last && last % kFanout != 0) take(--last);
    first /= kFanout;
    last /= kFanout;
  }
  while (count > 0) {
    const auto next =
        std::max_element(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count),
                         [](const Node& a, const Node& b) { return a.priority < b.priority; });
    if (enough(next->priority)) return;
    descend(*next);
    *next = nodes[--count];
  }
}

template <class Fits>
void Unplaced::Search<Fits>::descend(Node node) {
  if (node.level == 0) return scan(node.index, node.index + 1);
  ++entered;
  const std::uint32_t child = node.index * kFanout;
  if (node.level == 1) return scan(child, child + kFanout);
  const Level& level = tree.levels_[node.level - 1];
  std::array<float, kFanout> hopes;
  for (std::uint32_t i = 0; i < kFanout; ++i) {
    hopes[i] = level.end[child + i] <= end ? level.priority[child + i] : kGone;
  }
  for (;;) {
    const auto next = std::ranges::max_element(hopes);
    if (enough(*next)) return;
    *next = kGone;
    descend({node.level - 1, child + static_cast<std::uint32_t>(next - hopes.begin()), kGone});
  }
}

/// Packs rectangles from the bottom up without neighbour lists.
///
/// The skyline is how high memory is filled at each step: level pieces side by side. A piece lower
/// than both its neighbours is a valley. Whatever begins and ends inside a valley can rest on its
/// floor, so the one of highest priority is put there, and its top becomes a piece of its own. A
/// valley that nothing fits into is raised to its lower neighbour: what lies below is lost.
///
///          |~~~~|   a valley       |~~~~|   b was put there     |~~~~|   nothing fits left of b
///          |    |____    ____      |    |____  __  ____         |    |____  __  ____
///      ____|         |__|          |____     |_|b|_|        ____|         |b|
///
/// Valleys do not depend on each other, so the order in which they are filled changes nothing; the
/// nearest one is taken, which keeps the work local. Every packing in which each rectangle rests on
/// another or on the ground comes out under some priorities, an optimal one among them.
///
/// O(n) valleys, each a question to `Unplaced`. Pins are ceilings until the skyline reaches them.
class Skyline {
 public:
  struct Result {
    Bytes peak{};          ///< Of what was placed.
    std::size_t placed{};  ///< Rectangles placed.
    bool complete = false;
  };
  struct Limits {
    /// Tops above it are noted in `tooHigh`.
    Bytes height = kMaxBytes;
    /// True if to give up at the first of them.
    bool giveUp = false;
    /// Asked now and then; ends the packing.
    std::function<bool()> stopped{};
  };

  /// Keeps a reference to `rectangles`.
  explicit Skyline(const Rectangles& rectangles) : rectangles_(rectangles) {}

  /// Packs everything anew. Priorities, by position, are above zero.
  Result pack(std::span<const float> priorities, const Limits& limits);

  /// By position, of the last packing.
  const std::vector<Bytes>& offsets() const { return offsets_; }

  /// The positions that ended above the limit in the last packing.
  const std::vector<std::uint32_t>& tooHigh() const { return tooHigh_; }

 private:
  /// [begin, begin of next) filled up to `height`.
  struct Piece {
    Bytes height{};
    std::uint32_t begin = 0;  ///< Rank.
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
  };
  static constexpr Bytes kWall{std::int64_t{1} << 62};  ///< Height before and after everything.

  void start(std::span<const float> priorities);
  std::uint32_t insertAfter(std::uint32_t piece, std::uint32_t begin, Bytes height);
  void remove(std::uint32_t piece);
  bool walkToValley(std::uint32_t& piece);
  std::uint32_t choose(std::uint32_t begin, std::uint32_t end, Bytes floor);
  void noteCeilings(std::uint32_t begin, std::uint32_t end, Bytes floor);
  bool raise(std::uint32_t valley);
  void cover(std::uint32_t valley, Interval<std::uint32_t> steps, Bytes height);
  Bytes restingPlace(std::uint32_t position, Bytes floor) const;

  const Rectangles& rectangles_;
  Unplaced unplaced_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> spare_;         ///< Pieces that may be used again.
  std::vector<Rectangles::Pin> ceilings_;    ///< Pins above the valley being filled.
  std::vector<std::uint32_t> latestPinEnd_;  ///< By pin: of it and those before it.
  std::vector<Bytes> offsets_;
  std::vector<std::uint32_t> tooHigh_;
};

}  // namespace hw
