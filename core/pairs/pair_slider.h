#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/dice.h"
#include "core/pairs/pair_model.h"

namespace hw {

/// Looks for a plan that ends at or below a height, with blocks that slide: only who lies below
/// whom is kept, and from that the lowest and the highest offset of each block, as the heads and
/// tails of job shop scheduling. A block goes between two of its neighbours where they can slide
/// far enough apart (insertion of operations in a disjunctive graph, Dell'Amico and Trubian 1993).
/// Neighbours that cannot get out, the cheapest ones, and are put back in later. Blocks that pushed
/// others out become dear (ejection chains with counters, as Nagata and Bräysy 2009 for routes).
class PairSlider {
 public:
  /// True if it can be used: pairs in conflict are apart exactly where they share no bytes, and
  /// there are not too many blocks for a table of all pairs.
  static bool slides(const PairModel& model);

  /// The model has to outlive it.
  explicit PairSlider(const PairModel& model);

  /// Begins anew with the blocks of a plan that end at or below the height; no fixed one may end
  /// above. The others are out.
  void begin(const std::vector<Bytes>& offsets, std::int64_t height);
  /// All blocks have a place.
  bool isDone() const { return out_.empty(); }
  /// Gives the dearest block that is out a place, whatever has to get out for it: one where that
  /// costs least, any of several as likely. False: there is no place at all.
  bool step(SmallDice& dice);
  /// The lowest offset of a block that has a place.
  std::int64_t offset(std::uint32_t block) const { return seats_[block].low; }

 private:
  struct Seat {
    std::int64_t size = 0;
    std::int64_t mask = 0;  ///< Alignment - 1.
    std::int64_t unit = 0;  ///< By which the price goes up.
    std::int64_t price = 0;
    std::int64_t low = 0;  ///< The lowest offset, and the highest.
    std::int64_t high = 0;
    bool placed = false;
    bool fixed = false;

    std::int64_t end() const { return low + size; }
    /// True if a block of `others` bytes can lie neither always below it nor always above.
    bool isMet(std::int64_t others) const { return high - others < end(); }
  };
  /// The state of a sweep over the places of one block.
  struct Sweep;

  bool conflict(std::uint32_t block, std::uint32_t other) const {
    return (table_[block * words_ + other / 64] >> (other % 64) & 1) != 0;
  }
  std::int64_t raised(const Seat& seat, std::int64_t at) const;
  std::int64_t lowered(const Seat& seat, std::int64_t end) const;
  std::uint32_t popDearest();
  void weigh(Sweep& sweep, std::int64_t at, SmallDice& dice) const;
  std::int64_t cheapest(std::uint32_t block, SmallDice& dice) const;
  void insert(std::uint32_t block, std::int64_t offset);
  void takeOutAround(std::uint32_t block, std::int64_t offset);
  void sink(std::size_t kept);
  void rise(std::size_t kept);
  void sortOrders();

  const PairModel& model_;
  std::uint32_t count_ = 0;
  std::size_t words_ = 0;               ///< Of a row of the table.
  std::vector<std::uint64_t> table_{};  ///< A bit for each pair: in conflict.
  std::int64_t mostPrice_ = 0;
  std::int64_t height_ = 0;
  std::vector<Seat> seats_{};
  std::vector<std::uint32_t> out_{};
  // Placed blocks; in both orders each is behind all that lie below it.
  std::vector<std::uint32_t> byEnd_{};      ///< Ascending by lowest end.
  std::vector<std::uint32_t> byHigh_{};     ///< Ascending by highest offset.
  std::vector<std::int64_t> highestEnd_{};  ///< Of so many first blocks by end.
  std::vector<std::int64_t> leastHigh_{};   ///< Of the blocks by highest offset from one on.
};

}  // namespace hw
