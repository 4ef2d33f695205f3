#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

/// Rectangles, of which some became one with others, by who begins and ends at which rank. One that
/// was joined to another goes by the number of that, until they are split: the last one that was
/// joined to a box is split off first. About 45 bytes a rectangle.
class JoinBoxes {
 public:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

  /// A given rectangle, by position, and all that was joined to it.
  struct Box {
    std::uint32_t begin = 0;            ///< Rank.
    std::uint32_t end = 0;              ///< Rank.
    std::uint32_t size = 0;             ///< In units.
    std::uint32_t nextBegun = kNobody;  ///< Begins at the same rank.
    std::uint32_t lastBegun = kNobody;
    std::uint32_t nextEnded = kNobody;  ///< Ends at the same rank.
    std::uint32_t lastEnded = kNobody;
    std::uint32_t joined = kNobody;  ///< Was joined to it last.
    std::uint32_t before = kNobody;  ///< Of one that was joined: what was joined to its box before.
  };
  struct List {
    std::uint32_t head = kNobody;
    std::uint32_t count = 0;
  };
  /// The second was joined to the first, or split off.
  struct Change {
    bool joined = false;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };

  /// False where it cannot be done: pins, alignments, or sizes that 32 bits do not count.
  bool fill(const Rectangles& given);

  std::uint32_t count() const { return static_cast<std::uint32_t>(boxes_.size()); }
  std::uint32_t alive() const { return alive_; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(begins_.size()); }
  Bytes unit() const { return unit_; }
  const Box& operator[](std::uint32_t id) const { return boxes_[id]; }
  const List& begins(std::uint32_t rank) const { return begins_[rank]; }
  const List& ends(std::uint32_t rank) const { return ends_[rank]; }
  bool isAlive(std::uint32_t id) const { return boxes_[id].lastBegun != kGone; }
  std::vector<std::uint32_t> aliveBoxes() const;

  /// Two of one life: the second comes to lie on top of the first. Or two of one size, of which the
  /// second begins where the first ends.
  void join(std::uint32_t first, std::uint32_t second);
  /// Takes back the last join of a box. What was joined.
  std::uint32_t split(std::uint32_t id);
  /// Whether one that was joined to `id` lies on top of it, and not behind it.
  bool isOnTop(std::uint32_t id, std::uint32_t second) const {
    return boxes_[id].begin == boxes_[second].begin;
  }

  /// Changes are remembered from here on, and the ranks at which they are made.
  void remember() { remembering_ = true; }
  const std::vector<Change>& changes() const { return changes_; }
  void keepChanges() { changes_.clear(); }
  void takeBackChanges();
  /// The ranks at which something changed since they were asked for.
  std::vector<std::uint32_t> takeTouched();

 private:
  static constexpr std::uint32_t kGone = kNobody - 1;  ///< `lastBegun` of what is in no list.

  void link(std::uint32_t id);
  void unlink(std::uint32_t id);
  void note(bool joined, std::uint32_t first, std::uint32_t second);
  void touch(std::uint32_t rank);

  std::uint32_t alive_ = 0;
  Bytes unit_{1};  ///< All sizes are multiples of it.
  std::vector<Box> boxes_;
  std::vector<List> begins_;  ///< By rank.
  std::vector<List> ends_;    ///< By rank.
  bool remembering_ = false;
  std::vector<Change> changes_;
  std::vector<std::uint32_t> touched_;
  std::vector<bool> isTouched_;
};

}  // namespace hw
