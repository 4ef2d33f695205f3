#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hw::sweep {

/// Leaves of a tree are numbered below this.
using Leaf = std::uint32_t;

/// All the orders of some leaves in which given sets of them are neighbours (a PQ-tree, Booth and
/// Lueker 1976): the children of a *P* node may be in any order, those of a *Q* node in one order
/// or its reverse. Trees are small and copied often, so one is a single array in preorder, and
/// every question walks through it.
class PqTree {
 public:
  PqTree() = default;
  /// Any order of `leaves`, of which there is at least one.
  explicit PqTree(std::span<const Leaf> leaves);

  /// True if a leaf belongs to the set at hand, by leaf; all false between calls. Shared by trees.
  using Marks = std::vector<bool>;

  /// Makes the leaves `out` neighbours and puts `in`, in any order, where they were. False when no
  /// order has them together; the tree is as it was then.
  bool replace(std::span<const Leaf> out, std::span<const Leaf> in, Marks& marks);
  /// True if some order has these leaves together.
  bool canMeet(std::span<const Leaf> leaves, Marks& marks) const;

  std::vector<Leaf> leaves() const;
  /// An order of the leaves that rises by `rank`, which is by leaf; there must be one. Leaves of
  /// one rank are in any order that the tree allows.
  std::vector<Leaf> ordered(const std::vector<std::uint32_t>& rank) const;

 private:
  friend class PqReplacement;
  friend class PqOrder;

  /// Leaves as they are; a node, which goes before its children, as -(2 × length + 1 if Q), where
  /// the length counts all entries of its subtree.
  std::vector<std::int32_t> entries_;
};

}  // namespace hw::sweep
