#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/dice.h"
#include "core/pairs/pair_model.h"

namespace hw {

/// Puts blocks of a model somewhere, one after the other, against those that are placed, and takes
/// them out again. Fixed blocks are placed from the start and stay; no other block is. Conflicts,
/// alignments and reserved ranges are honoured, and no block ends above the ceiling. Each question
/// goes through the neighbours of the block twice, sorted by where they begin and end: they are
/// kept as they were sorted last, of which little changes between two questions.
class PairPlacer {
 public:
  static constexpr std::int64_t kNowhere = -1;

  /// An offset and the penalties that are paid there.
  struct Place {
    std::int64_t offset = kNowhere;
    std::int64_t cost = 0;
  };

  /// The pairs that are looked at: conflicts alone, or penalties too, for `cheapest`. Or conflicts
  /// that may be broken with what is not fixed, at the price of the other block.
  enum class Heeds { conflicts, penalties, prices };

  /// The model has to outlive it.
  PairPlacer(const PairModel& model, Heeds heeds);

  std::uint32_t count() const { return count_; }
  /// The capacity, or the largest number of bytes that there is.
  std::int64_t ceiling() const { return ceiling_; }
  void setCeiling(std::int64_t ceiling) { ceiling_ = ceiling; }
  std::int64_t size(std::uint32_t block) const { return size_[block]; }
  bool isFixed(std::uint32_t block) const { return model_.blocks[block].fixed.has_value(); }
  bool isPlaced(std::uint32_t block) const { return placed_[block] != 0; }
  /// Of a block that was taken out: its last one.
  std::int64_t offset(std::uint32_t block) const { return offset_[block]; }
  std::int64_t end(std::uint32_t block) const { return offset_[block] + size_[block]; }

  void put(std::uint32_t block, std::int64_t offset) {
    offset_[block] = offset;
    placed_[block] = 1;
  }
  void take(std::uint32_t block) { placed_[block] = 0; }
  /// Of a block that is in the way, where prices are heeded; the sum of all is below 2^61.
  void setPrice(std::uint32_t block, std::int64_t price) { weights_[block] = price; }
  /// Takes out all that are not fixed.
  void clear();

  /// First fit: the lowest place. Nowhere: there is none below the ceiling.
  std::int64_t lowest(std::uint32_t block);
  /// The highest place; nowhere: there is none.
  std::int64_t highest(std::uint32_t block);
  /// Best fit: the lower end of the smallest gap, the lowest of equal ones; above all only where
  /// there is no gap.
  std::int64_t tightest(std::uint32_t block);
  /// On top of all of its placed neighbours.
  std::int64_t stacked(std::uint32_t block);
  /// The place with the least penalties against placed blocks, any of several as likely. Such a
  /// place begins or ends at a free stretch or at a neighbour that costs something.
  Place cheapest(std::uint32_t block, SmallDice& dice);

  /// Penalties of a block against placed ones, if it were where it is. With costs cut down so that
  /// all together stay below 2^61.
  std::int64_t pay(std::uint32_t block) const;
  bool isApart(std::uint32_t block, const PairModel::Apart& apart) const {
    const std::int64_t distance = offset_[block] - offset_[apart.other];
    return distance <= -apart.below.count() || distance >= apart.above.count();
  }

 private:
  /// The open range of offsets in which a neighbour is met that must be apart. Its begin is this
  /// far from the offset of the neighbour.
  struct Wall {
    std::int64_t distance = 0;
    std::int64_t length = 0;
    std::uint32_t other = 0;
  };
  /// One end of such a range of a neighbour that costs something.
  struct Edge {
    std::int64_t distance = 0;
    std::uint32_t other = 0;
    std::uint32_t weight = 0;  ///< Of `weights_`.
  };
  /// The part of a list that is of one block.
  struct Span {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// Offsets that no wall forbids, first and last.
  struct Stretch {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
  };
  /// The state of a sweep over the edges of penalties.
  struct Sweep;

  void addReserved();
  void addWeights();
  void addNeighbours(std::uint32_t block);
  void addEdge(const PairModel::Apart& apart, std::uint32_t weight);
  void addPenalties(std::uint32_t block);
  template <class Entry>
  void sortEntries(Entry* entries, std::size_t count, std::vector<std::int64_t>& keys) const;
  const Wall* sortWalls(std::uint32_t block);
  std::int64_t lowestFrom(std::uint32_t block, std::int64_t at);
  std::int64_t highestOffset(std::uint32_t block) const;
  void findStretches(std::uint32_t block);
  void sweepStretch(Sweep& sweep, const Stretch& stretch, SmallDice& dice) const;

  const PairModel& model_;
  Heeds heeds_;
  std::uint32_t count_ = 0;
  std::int64_t ceiling_ = 0;
  std::vector<std::int64_t> size_{};  ///< Blocks, then reserved ranges.
  std::vector<std::int64_t> mask_{};  ///< Alignment - 1.
  std::vector<std::int64_t> offset_{};
  std::vector<std::uint8_t> placed_{};
  std::int64_t mostCost_ = 0;            ///< Of one penalty.
  std::vector<std::int64_t> weights_{};  ///< Different costs, ascending; or prices.
  std::vector<Span> wallSpans_{};
  std::vector<Wall> walls_{};
  std::vector<Span> edgeSpans_{};
  std::vector<Edge> begins_{};
  std::vector<Edge> ends_{};
  // Of one question.
  std::vector<std::int64_t> wallKeys_{};
  std::vector<std::int64_t> beginKeys_{};
  std::vector<std::int64_t> endKeys_{};
  std::vector<Stretch> stretches_{};
};

}  // namespace hw
