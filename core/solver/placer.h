#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/plan/decision.h"
#include "core/solver/neighbours.h"

namespace hw {

/// The stays that are placed, in address order, walked by those live at some time. They are kept in
/// chunks of at most 64 so that one more costs O(sqrt n) at worst, and a walk looks at 64 lives
/// with a few vector instructions before it looks at any address.
class AddressList {
 public:
  struct Entry {
    Interval<Bytes> bytes{};
    StayId stay{};
  };
  using Life = Interval<std::int32_t>;  ///< Half-open; ranks of steps.

  void clear() { chunks_.clear(); }

  /// Goes behind all that begin at the same address.
  void insert(const Entry& entry, Life life);

  /// Calls `visit(entry)` in address order for all that share a step with `life`, until it returns
  /// false.
  template <class Visit>
  void forEachAlive(Life life, Visit visit) const {
    for (const Chunk& chunk : chunks_) {
      for (std::uint64_t hits = chunk.alive(life); hits != 0; hits &= hits - 1) {
        if (!visit(chunk.entries[static_cast<std::size_t>(std::countr_zero(hits))])) return;
      }
    }
  }

 private:
  static constexpr std::size_t kChunk = 64;

  struct Chunk {
    Chunk() { begins.fill(std::numeric_limits<std::int32_t>::max()); }

    /// A bit for every entry that shares a step with `life`. Free slots begin after everything.
    std::uint64_t alive(Life life) const {
      std::array<std::uint8_t, kChunk> hit;
      for (std::size_t i = 0; i < kChunk; ++i) {
        hit[i] = static_cast<std::uint8_t>(int{begins[i] < life.end} & int{ends[i] > life.begin});
      }
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < kChunk; i += 8) {
        bits |= packed(hit.data() + i) << i;
      }
      return bits;
    }

    /// Eight bytes of 0 or 1 as eight bits, the first lowest.
    static std::uint64_t packed(const std::uint8_t* flags) {
      if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t word = 0;
        std::memcpy(&word, flags, 8);
        return (word * 0x0102040810204080ULL) >> 56;
      }
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < 8; ++i) bits |= std::uint64_t{flags[i]} << i;
      return bits;
    }

    void insert(std::size_t at, const Entry& entry, Life life);

    std::size_t count = 0;
    std::array<std::int32_t, kChunk> begins;
    std::array<std::int32_t, kChunk> ends{};
    std::array<Entry, kChunk> entries{};
  };

  void cutInTwo(std::size_t chunk);

  std::vector<Chunk> chunks_;  ///< None empty.
};

/// The highest of what has been stacked, at every step: `raise` and `highest` take O(log n) for n
/// steps, however many stays live together.
class StackTree {
 public:
  /// The stay that ends highest; of equals, the one that begins highest, then the later one.
  struct Top {
    Bytes end{};
    Bytes begin{};
    StayId stay{};
    friend auto operator<=>(const Top&, const Top&) = default;
  };
  /// Half-open; ranks of steps, as Placer has them.
  using Life = Interval<std::int32_t>;

  explicit StackTree(std::size_t steps = 0)
      : leaves_(std::bit_ceil(std::max<std::size_t>(steps, 1))), nodes_(2 * leaves_) {}

  void clear() { std::ranges::fill(nodes_, Node()); }

  void raise(Life life, const Top& top) {
    forEachPart(life, [&](Node& node) {
      node.all = std::max(node.all, top);
      node.most = std::max(node.most, top);
    });
    forEachAbove(life, [&](std::size_t node) {
      nodes_[node].most =
          std::max({nodes_[node].all, nodes_[2 * node].most, nodes_[2 * node + 1].most});
    });
  }

  Top highest(Life life) {
    Top highest;
    forEachPart(life, [&](const Node& node) { highest = std::max(highest, node.most); });
    forEachAbove(life, [&](std::size_t node) { highest = std::max(highest, nodes_[node].all); });
    return highest;
  }

 private:
  struct Node {
    Top most{};  ///< Of all steps below it.
    Top all{};   ///< Stacked over all of them at once, as far as it has not gone to nodes below.
  };

  /// The nodes that make up `life`.
  template <class Visit>
  void forEachPart(Life life, const Visit& visit) {
    auto first = static_cast<std::size_t>(life.begin) + leaves_;
    auto end = static_cast<std::size_t>(life.end) + leaves_;
    for (; first < end; first /= 2, end /= 2) {
      if (first % 2 == 1) visit(nodes_[first++]);
      if (end % 2 == 1) visit(nodes_[--end]);
    }
  }

  /// All nodes above the first and the last step of `life`, those below before those above.
  template <class Visit>
  void forEachAbove(Life life, const Visit& visit) const {
    auto first = (static_cast<std::size_t>(life.begin) + leaves_) / 2;
    auto last = (static_cast<std::size_t>(life.end) + leaves_ - 1) / 2;
    for (; last > 0; first /= 2, last /= 2) {
      visit(first);
      if (last != first) visit(last);
    }
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;  ///< An implicit binary tree, its root at 1.
};

/// Placements between two looks at the clock, or for the wish to stop: among 100,000 that are live
/// together well below a tenth of a second.
inline constexpr std::size_t kPlacementsBetweenLooks = 64;

/// Which place an offline planner takes among the gaps that its neighbours in time leave.
enum class FitRule : std::uint8_t {
  first,    ///< The lowest gap that is large enough.
  best,     ///< The tightest gap, the lowest of equals.
  stacked,  ///< Above the highest neighbour: gaps are not used.
};

/// Puts stays of one pool somewhere one after the other, each against those placed before. What all
/// offline planners share; they differ in the order and the rule.
///
/// If few stays live together it asks `Neighbours` and sorts the answer by address; if many do, it
/// walks all placed stays in address order (`AddressList`). Methods that only stack
/// ask a tree over the steps how high they are (`StackTree`). The answers are the same. Outputs
/// may come as near to their inputs as `Problem::overlaps` permits.
class Placer {
 public:
  /// `only`: the rule of every placement, where it is known; such a placer cannot `decide`.
  Placer(const Problem& problem, PoolId pool, std::optional<FitRule> only = {});

  /// Counts a stay as placed at `offset`, as pins are.
  void fix(StayId stay, Bytes offset);

  /// Places `stay` and returns its offset. O((k + 1) log n) for k neighbours already placed where
  /// k is small, O(n) where it is not.
  Bytes place(StayId stay, FitRule rule);

  /// Places `stay` and tells what it chose from: the gaps that its neighbours leave, lowest first,
  /// and the room above them all.
  Decision decide(StayId stay, FitRule rule);

  /// The neighbour that ended where the last `place` put its stay: what it rests on; none at the
  /// bottom, or above a sliver lost to alignment.
  StayId restsOn() const { return restsOn_; }

  /// The stays of the pool, by begin.
  const std::vector<StayId>& stays() const { return neighbours_.stays(); }
  Bytes offsetOf(StayId stay) const { return offsets_[stay.index()]; }
  Bytes peak() const { return peak_; }

  /// Forgets every placement.
  void clear();

 private:
  using Block = AddressList::Entry;
  class Fit;
  void rankSteps();
  Block blockFor(StayId id, StayId other) const;
  std::vector<Block> neighboursOf(StayId id) const;

  /// Another stay that need not be quite apart from one.
  struct Partner {
    StayId stay{};
    Apart apart{};  ///< How far from it the one begins.
  };

  const Problem& problem_;
  Neighbours neighbours_;
  bool dense_ = false;
  std::optional<StackTree> stack_;                ///< Where all are stacked, and none has gaps.
  std::vector<std::array<Partner, 2>> partners_;  ///< By stay; none where nothing overlaps.
  std::vector<Bytes> offsets_;                    ///< By stay.
  AddressList placed_;                            ///< Kept in dense problems only, like the next.
  std::vector<AddressList::Life> lives_;          ///< By stay.
  std::vector<StayId> together_;
  std::vector<Block> others_;
  StayId restsOn_;
  Bytes peak_;
};

/// Places every unpinned stay of `order` after the pinned ones. Returns false when `stopped` says
/// so, which is asked every kPlacementsBetweenLooks.
bool placeInOrder(Placer& placer, const Problem& problem, const std::vector<StayId>& order,
                  FitRule rule, const std::function<bool()>& stopped);

/// The order and rule of an offline planner, for accounts.
struct OrderRule {
  FitRule fit = FitRule::best;
  std::string_view name{};  ///< Of the order: "largest first".
};

/// Follows `placeInOrder` on a fresh placer until it is the turn of `stay`, and tells what it chose
/// from. Nothing when the order does not hold it.
std::optional<Decision> decideInOrder(Placer& placer, const Problem& problem,
                                      const std::vector<StayId>& order, const OrderRule& rule,
                                      StayId stay);

}  // namespace hw
