#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/pairs/pair_model.h"

namespace hw {

/// Counts what a proof over pairs spends and says when it has to stop.
class PairBudget {
 public:
  PairBudget(const PairLimits& limits, std::function<bool()> stopped);

  /// Counts one node; true once anything is used up, and from then on.
  bool spend();
  bool isSpent() const { return spent_; }
  std::int64_t nodes() const { return nodes_; }

  /// A budget for a part of the work: at most `nodes` more (0: no limit), and no more than is left.
  /// Its use is added to this one by `settle`.
  PairBudget part(std::int64_t nodes) const;
  void settle(const PairBudget& part);

 private:
  using Watch = std::chrono::steady_clock;

  std::int64_t nodes_ = 0;
  std::int64_t mostNodes_ = 0;  ///< 0: no limit.
  std::optional<Watch::time_point> end_{};
  std::function<bool()> stopped_{};
  bool spent_ = false;
};

/// A pair model as proofs look it up: one list of edges per block, distances rounded up to what
/// alignments allow, and the offsets that reserved ranges and fixed blocks leave.
struct PairField {
  static constexpr std::int64_t kNowhere = -1;

  /// The other of a pair: this block begins at least `below` bytes below it or at least `above`
  /// bytes above it, else the pair is impossible (`hard`) or costs `cost`.
  struct Edge {
    std::uint32_t other = 0;
    std::int64_t below = 0;
    std::int64_t above = 0;
    std::int64_t cost = 0;
    bool hard = false;
  };

  std::vector<std::int64_t> size{};
  std::vector<std::int64_t> alignment{};
  std::vector<std::optional<std::int64_t>> fixed{};
  std::vector<std::vector<Edge>> edges{};  ///< Ascending by `other`.
  /// By block, ascending and disjoint: where it may not begin.
  std::vector<std::vector<Interval<std::int64_t>>> barred{};
  std::int64_t capacity = 0;  ///< No block ends above it.
  std::int64_t room = 0;      ///< Bytes below it that are not reserved.

  std::uint32_t count() const { return static_cast<std::uint32_t>(size.size()); }

  /// The lowest offset at or above `from` (not negative) at which `block` may begin as far as
  /// reserved ranges, hard edges to fixed blocks and the capacity are concerned, or kNowhere.
  std::int64_t lowest(std::uint32_t block, std::int64_t from) const;

  /// True if the pair of this edge of a block is apart, the block at `here`, the other at `there`.
  static bool isApart(const Edge& edge, std::int64_t here, std::int64_t there) {
    return there - here >= edge.below || here - there >= edge.above;
  }
};

/// The field of a model; a capacity above kMaxBytes, or none, is kMaxBytes.
PairField fieldOf(const PairModel& model);

/// Blocks that edges link, each set ascending, ordered by their first. They never interact: each
/// has the whole address space for itself.
std::vector<std::vector<std::uint32_t>> componentsOf(const PairField& field);

/// The field of some blocks only, numbered in the order given.
PairField fieldOfBlocks(const PairField& field, const std::vector<std::uint32_t>& blocks);

/// The same field where each edge is hard and none costs anything.
PairField hardened(const PairField& field);

/// Sum of the costs of pairs that are not apart; nothing if a hard pair is not, or a block begins
/// where it may not.
std::optional<std::int64_t> costOf(const PairField& field,
                                   const std::vector<std::int64_t>& offsets);

/// Sum of all costs, or nothing when that leaves 62 bits.
std::optional<std::int64_t> totalCost(const PairField& field);

/// Offsets that suffice: by block, ascending, each the lowest legal offset from zero, or just above
/// an offset of a neighbour. Whatever pairs a plan keeps apart, pushing its blocks down as far as
/// those pairs allow gives a plan with only such offsets. Nothing if there are more than `most`, or
/// if their blocks have more than 50 x `most` neighbours together.
std::optional<std::vector<std::vector<std::int64_t>>> touchingOffsets(const PairField& field,
                                                                      std::size_t most);

}  // namespace hw
