#pragma once

#include <bitset>
#include <cstdint>
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

/// What ends at a moment and what begins in its place, as high in all.
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
  /// What may begin where `ends_` end.
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

}  // namespace hw::sweep
