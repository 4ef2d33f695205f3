#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/dice.h"
#include "core/solver/sweep/group_finder.h"
#include "core/solver/sweep/pq_tree.h"

namespace hw::sweep {

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

  /// What was looked at so far: about so many nodes of the skyline search take as long.
  std::int64_t work() const { return work_; }

 private:
  void findMatches(std::uint32_t moment);
  void open(std::uint32_t moment, PqTree tree);
  void add(Choice choice);
  bool tryNext();
  /// To the last choice that may have led here. False: there is none.
  bool goBack();
  /// Whether what has to meet others at its end still can.
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
