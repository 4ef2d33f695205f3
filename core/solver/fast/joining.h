#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/solver/fast/rectangles.h"

namespace hw {

/// Rectangles, of which some became one with others, by who begins and ends at which rank. One that
/// was joined to another goes by the number of that, until they are split: the last one that was
/// joined to a box is split off first. About 50 bytes a rectangle.
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
    bool endsWheel = false;          ///< It was joined as the last of four, around a middle.
  };
  struct List {
    std::uint32_t head = kNobody;
    std::uint32_t count = 0;
  };
  /// Four around a middle:
  ///
  ///     | left |   top        |      left = middle + top, where it ends and they begin;
  ///     |      |--------------|      right = bottom + middle, where it begins and they end.
  ///     |      |middle|       |
  ///     |-------------| right |
  ///     |   bottom    |       |
  struct Wheel {
    std::uint32_t left = kNobody, top = kNobody, middle = kNobody, bottom = kNobody,
                  right = kNobody;
  };
  /// One or, of a wheel, four.
  struct Others {
    std::array<std::uint32_t, 4> ids{};
    std::uint32_t count = 1;
    auto begin() const { return ids.begin(); }
    auto end() const { return ids.begin() + count; }
  };
  /// The others were joined to the first, or split off.
  struct Change {
    bool joined = false;
    std::uint32_t first = 0;
    Others others{};
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
  /// The four go by the number of the bottom.
  void joinWheel(const Wheel& wheel);
  /// Takes back the last join of a box. What was joined: of a wheel the right one, the left one,
  /// the middle and the top.
  Others split(std::uint32_t id);
  /// The last join of a box, as `split` tells it.
  Others lastJoined(std::uint32_t id) const;
  /// True if one that was joined to `id`, in no wheel, lies on top of it, and not behind it.
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
  /// `other` was joined to `id` last.
  void chain(std::uint32_t id, std::uint32_t other);
  void unlink(std::uint32_t id);
  void note(bool joined, std::uint32_t first, const Others& others);
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

struct JoinOptions {
  /// Joins and splits at most, counted so that runs repeat; the first joining is always finished.
  std::int64_t moves = 0;
  std::uint64_t seed = 1;
  std::function<bool()> stopped{};  ///< Asked now and then.
};

/// Rectangles of which many became few, and how to get back.
struct JoinedRectangles {
  Rectangles rectangles{};          ///< What is left; where it lies, all that it is made of lies.
  std::vector<std::uint32_t> in{};  ///< By position of what was given: the position in there,
  std::vector<std::uint32_t> above{};  ///< and how far above the beginning of that, in units.
  Bytes unit{1};

  /// Offsets of all that was given, by position, from those of what is left.
  std::vector<Bytes> spread(const std::vector<Bytes>& offsets) const;
};

/// Joins two rectangles, again and again, that seem to have been one: of the same life, one on top
/// of the other; of the same size, one where the other ends; and four around a fifth, as in a
/// `JoinBoxes::Wheel`. What was cut from a full pool becomes few or one again, whatever its number.
///
///     |  a  |  b  |             a and b are of one size,       |  ab       |
///     |-----------|   and b begins where a ends: joined. ab    |-----------|   joined too: one
///     |     c     |             and c are of one life          |     c     |
///
/// Least likely by chance first: the more other rectangles begin and end at the same moments, the
/// likelier it is; what could be joined at once with a third, the less. A wrong join blocks those
/// around it. So what is left is taken apart here and there, put together in other ways, and stays
/// so where no more are left than before.
///
/// Nothing where pins or alignments are in the way, or where most find nobody: then it was no pool
/// that was cut. The same for the same seed and moves. About O(n) for what was cut; 75 bytes each.
std::optional<JoinedRectangles> joinRectangles(const Rectangles& rectangles,
                                               const JoinOptions& options);

}  // namespace hw
