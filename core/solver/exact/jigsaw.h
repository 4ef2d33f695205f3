#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/dice.h"
#include "core/solver/exact/boxes.h"
#include "core/solver/exact/handovers.h"

namespace hw::exact {

/// Boxes on their way to fewer: each is one of the whole, several that were joined, or a hole,
/// where nothing lies. Their hulls are from moment to moment: steps at which something begins or
/// ends, or sections where boxes have gaps.
class Jigsaw {
 public:
  using Item = std::uint32_t;
  /// Looks that take as long as a node of the search.
  static constexpr std::int64_t kLooksOfANode = 256;

  /// Keeps a reference to `whole`. `loose` percent of the boxes, drawn by `dice`, are joined with
  /// none.
  Jigsaw(const Boxes& whole, bool bySteps, int loose, Dice& dice);

  std::size_t count() const { return boxes_.size(); }
  const Box& box(Item item) const { return boxes_[item]; }
  const Piece& hull(Item item) const { return boxes_[item].hull; }
  std::int64_t height(Item item) const { return boxes_[item].height; }
  /// Neither part of another, nor to be left alone, nor with gaps.
  bool canJoin(Item item) const { return state_[item] == State::open; }
  /// The number of changes so far: joinings and holes.
  std::uint32_t changes() const { return changes_; }
  /// The latest change of what begins or ends at `moment`; 0: none.
  std::uint32_t changedAt(std::uint32_t moment) const { return changedAt_[moment]; }
  /// Those that can be joined and begin or end at a moment that has changed since `change`, in an
  /// order drawn by `dice`; since 0: all that can be joined.
  std::vector<Item> joinable(std::uint32_t change, Dice& dice) const;
  /// Counts what was looked at on the way, so that joining is paid for from the same budget as
  /// searching.
  void addLooks(std::int64_t looks) const { looks_ += looks; }
  std::int64_t looks() const { return looks_; }

  std::uint32_t moments() const { return moments_; }
  /// Those of one piece that begin, or end, at a moment; it may be `moments()`.
  std::span<const Item> begins(std::uint32_t moment) const { return begins_[moment]; }
  std::span<const Item> ends(std::uint32_t moment) const { return ends_[moment]; }
  /// By moment: units of `capacity` that are free.
  std::vector<std::int64_t> room(Bytes capacity) const;

  void addHole(const Piece& hull, std::int64_t height);
  /// `follower` begins where `first` ends, and is as high.
  void takeOver(Item first, Item follower);
  /// `above` lives as long as `below`.
  void stack(Item below, Item above);
  /// Four around a middle:
  ///
  ///     | left |   top        |      left = middle + top, where it ends and they begin;
  ///     |      |--------------|      right = bottom + middle, where it begins and they end.
  ///     |      |middle|       |
  ///     |-------------| right |
  ///     |   bottom    |       |
  struct Wheel {
    Item left, top, middle, bottom, right;
  };
  void joinWheel(const Wheel& wheel);

  Joined finish() const;
  /// Offsets of the whole, from those of `items`, in which all of it is.
  std::vector<std::int64_t> offsetsOf(std::span<const Item> items,
                                      const std::vector<std::int64_t>& offsets) const;

 private:
  enum class State : std::uint8_t { open, alone, gone };

  bool isPlain(Item item) const { return boxes_[item].lastPiece - boxes_[item].firstPiece == 1; }
  void takeSections();
  void takeSteps();
  Piece sectionsOf(const Piece& hull) const;
  void enlist(Item item);
  void strike(Item item);
  /// Forgets the sets known of the moments where `item` begins and ends.
  void touch(Item item);
  void absorb(Item into, Item other, std::int64_t offset);
  void stretch(Item item, std::uint32_t end);

  const Boxes& whole_;
  std::vector<Box> boxes_;
  std::vector<State> state_;
  /// By item: the boxes of the whole in it, and the offset of each.
  std::vector<std::vector<std::pair<Item, std::int64_t>>> members_;
  std::uint32_t moments_ = 0;
  std::vector<std::uint32_t> momentOf_;  ///< By section.
  std::vector<std::vector<Item>> begins_;
  std::vector<std::vector<Item>> ends_;
  std::uint32_t changes_ = 0;
  mutable std::int64_t looks_ = 0;
  std::vector<std::uint32_t> changedAt_;  ///< By moment.
};

inline constexpr std::int64_t kUnlimitedLooks = std::numeric_limits<std::int64_t>::max();

/// Adds holes where what is free in `capacity` looks as if boxes had been taken out: it grows at
/// one moment and shrinks by as much at a later one. What is joined with them keeps these bytes
/// free.
/// Begins no more when `most` looks have been taken.
void addHoles(Jigsaw& jigsaw, Bytes capacity, Dice& dice, std::int64_t most = kUnlimitedLooks);

/// Adds holes until nothing of `capacity` is free at any moment.
void fillRoom(Jigsaw& jigsaw, Bytes capacity);

/// The sets of numbers, as bits, that add up to 0 while no fewer of them do; fewest first. Of at
/// most 20 numbers.
std::vector<std::uint32_t> leastSums(const std::vector<std::int64_t>& numbers);

/// The items that lie against each other at a moment. Those that end and those that begin there
/// hand bytes over from one side to the other: where the sizes of some that end add up to those of
/// some that begin, and no fewer of these do, they most likely lie on the two sides of one vertical
/// *seam*.
class Seams {
 public:
  using Item = Jigsaw::Item;

  enum class Relation : std::uint8_t {
    apart,    ///< Each has a seam without the other.
    unknown,  ///< Too many begin and end there, or nothing adds up.
    loosely,  ///< All that begins and ends there is one seam, with something that was not found.
    together,
  };

  explicit Seams(const Jigsaw& jigsaw) : jigsaw_(jigsaw), known_(jigsaw.moments() + 1) {}

  /// Of two that begin, or end, at `moment`.
  Relation relation(std::uint32_t moment, Item a, Item b);
  /// On how many seams `item`, which begins or ends at `moment`, may lie; 0: unknown.
  std::size_t count(std::uint32_t moment, Item item);

 private:
  struct Known {
    std::optional<std::uint32_t> change{};  ///< The latest there when it was looked at.
    std::vector<Item> items{};              ///< The last stands for what was not found, if `open`.
    std::vector<std::uint32_t> sums{};      ///< Sets of items, fewest first.
    bool open = false;
  };
  const Known& look(std::uint32_t moment);

  const Jigsaw& jigsaw_;
  std::vector<Known> known_;
};

}  // namespace hw::exact
