#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// The highest of what has been stacked, at every step: `raise` and `highest` take O(log n) for n
/// steps, however many stays live together.
class StackTree {
 public:
  /// What ends highest; of equals, what begins highest, then the later stay.
  struct Top {
    Bytes end{};
    Bytes begin{};
    StayId stay{};
    friend auto operator<=>(const Top&, const Top&) = default;
  };
  /// Half-open; ranks of steps, as Placer has them.
  using Life = Interval<std::int32_t>;

  explicit StackTree(std::size_t steps = 0)
      : leaves_(std::bit_ceil(std::max<std::size_t>(steps, 1))), nodes_(2 * leaves_) {}

  void clear() { std::ranges::fill(nodes_, Node()); }

  void raise(Life life, const Top& top) {
    forEachPart(life, [&](Node& node) {
      node.all = std::max(node.all, top);
      node.most = std::max(node.most, top);
    });
    forEachAbove(life, [&](std::size_t node) {
      nodes_[node].most =
          std::max({nodes_[node].all, nodes_[2 * node].most, nodes_[2 * node + 1].most});
    });
  }

  Top highest(Life life) {
    Top highest;
    forEachPart(life, [&](const Node& node) { highest = std::max(highest, node.most); });
    forEachAbove(life, [&](std::size_t node) { highest = std::max(highest, nodes_[node].all); });
    return highest;
  }

 private:
  struct Node {
    Top most{};  ///< Of all steps below it.
    Top all{};   ///< Stacked over all of them at once, as far as it has not gone to nodes below.
  };

  /// The nodes that make up `life`.
  template <class Visit>
  void forEachPart(Life life, const Visit& visit) {
    auto first = static_cast<std::size_t>(life.begin) + leaves_;
    auto end = static_cast<std::size_t>(life.end) + leaves_;
    for (; first < end; first /= 2, end /= 2) {
      if (first % 2 == 1) visit(nodes_[first++]);
      if (end % 2 == 1) visit(nodes_[--end]);
    }
  }

  /// All nodes above the first and the last step of `life`, those below before those above.
  template <class Visit>
  void forEachAbove(Life life, const Visit& visit) const {
    auto first = (static_cast<std::size_t>(life.begin) + leaves_) / 2;
    auto last = (static_cast<std::size_t>(life.end) + leaves_ - 1) / 2;
    for (; last > 0; first /= 2, last /= 2) {
      visit(first);
      if (last != first) visit(last);
    }
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;  ///< An implicit binary tree, its root at 1.
};

}  // namespace hw
