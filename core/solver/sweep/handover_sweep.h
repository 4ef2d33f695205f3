#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/dice.h"
#include "core/solver/sweep/pq_tree.h"

namespace hw::sweep {

/// A rectangle: `height` high from one moment to another.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::int64_t height = 0;
};

/// All that lives at a moment is at most so high, in units.
inline constexpr std::size_t kMostHigh = 4096;
/// Which sums some heights have, by sum.
using Sums = std::bitset<kMostHigh + 1>;

/// Pieces that end at a moment and pieces that begin in their place, as high in all.
struct Group {
  std::vector<Leaf> ends;
  std::vector<Leaf> begins;
  std::int64_t cost = 0;  ///< The least is tried first.
};

/// A group has to be chosen at `moment`, for the highest of `ends`, which have none yet.
struct Choice {
  std::uint32_t moment = 0;
  PqTree tree;
  std::vector<Leaf> ends;
  std::vector<Leaf> begins;
  std::vector<Group> groups;
  std::size_t next = 0;  ///< The group that is tried next.

  const Group& chosen() const { return groups[next - 1]; }
};

/// Finds groups for a choice: those of few members first, mixed by chance. Where there are very
/// many, only some.
class GroupFinder {
 public:
  GroupFinder(std::span<const Piece> pieces, PqTree::Marks& marks, Dice& dice)
      : pieces_(pieces), marks_(marks), dice_(dice) {}

  std::vector<Group> find(const Choice& choice);

 private:
  /// Adds `left` more of `others`, from number `from` on, to what ends, in every way.
  void extend(std::size_t from, std::size_t left);
  /// Adds the sets of pieces that may begin where `ends_` end.
  void addGroups();
  void chooseBegins(std::size_t from, std::size_t sum);
  void keep();
  std::size_t height(Leaf leaf) const { return static_cast<std::size_t>(pieces_[leaf].height); }

  std::span<const Piece> pieces_;
  PqTree::Marks& marks_;
  Dice& dice_;

  const PqTree* tree_ = nullptr;
  std::vector<Leaf> others_;  ///< That end, but the highest.
  std::vector<Leaf> all_;     ///< That begin.
  std::vector<Sums> sums_;    ///< Of those that begin, from each number on.
  std::vector<Leaf> ends_;    ///< Of the group at hand.
  std::vector<Leaf> begins_;
  std::size_t sum_ = 0;  ///< Of what ends.
  int sets_ = 0;
  int steps_ = 0;
  int found_ = 0;  ///< For the ends at hand.
  std::vector<std::vector<std::uint64_t>> seen_;
  std::vector<Group> groups_;
};

struct SweepLimits {
  std::int64_t dead = 0;            ///< Dead ends after which it gives up.
  std::function<bool()> stopped{};  ///< Asked at each dead end; not empty.
};

/// A search for offsets of pieces that are as high in all at each moment: nothing is left free.
///
/// So what ends at a moment hands its place to what begins there, in groups: each is as high before
/// as after, and its members are neighbours. Which groups there are is all that is chosen, moment
/// by moment; of the orders in which pieces can lie on top of each other, all that the groups allow
/// are kept, as a `PqTree`. With groups for nodes and pieces for edges this is the test whether a
/// graph is planar of Lempel, Even and Cederbaum 1967, for a graph that is not given.
///
/// Groups are drawn, small ones mostly first. At a dead end it goes back to the last choice that
/// put one of those into place which end there.
class HandoverSweep {
 public:
  /// Of moments 0 to `moments`; the heights at each add up to the same, at most `kMostHigh`.
  HandoverSweep(std::vector<Piece> pieces, std::uint32_t moments, Dice& dice);

  /// Offsets by piece; nothing: given up.
  std::optional<std::vector<std::int64_t>> run(const SweepLimits& limits);

  /// The work so far, in nodes of the skyline search that take as long.
  std::int64_t work() const { return work_; }

 private:
  void findMatches(std::uint32_t moment);
  void open(std::uint32_t moment, PqTree tree);
  void add(Choice choice);
  bool tryNext();
  /// To the last choice that may have led here. False: there is none.
  bool goBack();
  /// True if what has to meet others at its end still can.
  bool isHopeful(const PqTree& tree);
  bool canEnd(const PqTree& tree, Leaf leaf);
  std::vector<std::int64_t> offsets() const;
  std::size_t height(Leaf leaf) const { return static_cast<std::size_t>(pieces_[leaf].height); }
  void assign(const std::vector<Leaf>& order, std::vector<std::int64_t>& offsets) const;

  std::vector<Piece> pieces_;
  std::uint32_t moments_;
  Dice& dice_;
  std::vector<std::vector<Leaf>> begins_;  ///< By moment.
  std::vector<std::vector<Leaf>> ends_;
  /// By moment: sets of what ends there that something could replace, as bits, smallest first.
  std::vector<std::vector<std::uint32_t>> matches_;
  std::vector<std::uint32_t> bit_;  ///< By piece: among those that end with it.
  std::vector<bool> needsOthers_;   ///< By piece: nothing could replace it alone.
  PqTree::Marks marks_;
  PqTree::Marks live_;
  std::vector<Choice> choices_;
  bool whole_ = false;
  std::int64_t work_ = 0;
};

}  // namespace hw::sweep
