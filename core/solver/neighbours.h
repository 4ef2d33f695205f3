#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/problem.h"

namespace hw {

/// Answers "which stays that are in already are live together with this one?" without neighbour
/// lists, which explode on real graphs. Stays of one pool are ordered by begin; a tree over that
/// order keeps the latest end among those that are in, so a query walks only to the answers:
/// O((k + 1) log n) for k of them.
class Neighbours {
 public:
  /// Knows the stays of `pool`; none is in yet. Keeps a reference to `problem`.
  Neighbours(const Problem& problem, PoolId pool);

  void insert(StayId stay);
  /// Takes every stay out again.
  void clear();

  /// Replaces `found` by the stays that are in and share a live step with `stay`, by begin.
  void query(StayId stay, std::vector<StayId>& found) const;

  /// True when two stays share a live step, gaps honoured.
  bool liveTogether(StayId a, StayId b) const;

  /// The stays of the pool, by begin.
  const std::vector<StayId>& stays() const { return order_; }

 private:
  struct Node {
    std::size_t index;
    std::size_t first;
    std::size_t last;
  };
  void collect(Node node, std::size_t limit, Step begin, std::vector<StayId>& found) const;

  const Problem& problem_;
  std::vector<StayId> order_;
  std::vector<std::uint32_t> rank_;  ///< By stay: its place in `order_`.
  std::size_t leaves_ = 1;
  std::vector<Step> latestEnd_;  ///< Implicit binary tree; below every step when nothing is in.
};

}  // namespace hw
