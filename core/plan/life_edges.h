#pragma once

#include <cstdint>
#include <vector>

#include "core/base/key_sort.h"
#include "core/plan/problem.h"

namespace hw {

/// Something begins or ends to be live: 8 bytes, so that sweeps over millions of stays stay small.
struct LifeEdge {
  std::uint32_t moment = 0;  ///< Twice the step, and one more where it begins: ends come first.
  std::uint32_t item = 0;    ///< Whose edge: a stay, or whatever the sweep counts.

  Step step() const { return Step(moment / 2); }
  bool begins() const { return moment % 2 != 0; }
};

/// Collects edges and puts them in the order of a sweep. Steps are 0 to kMaxStep + 1.
class LifeEdges {
 public:
  void reserve(std::size_t lives) { edges_.reserve(2 * lives); }

  void add(Interval<Step> live, std::uint32_t item) {
    edges_.push_back({momentOf(live.begin, true), item});
    edges_.push_back({momentOf(live.end, false), item});
  }

  /// The other way round: `item` is not live in `gap`.
  void addGap(Interval<Step> gap, std::uint32_t item) {
    edges_.push_back({momentOf(gap.begin, false), item});
    edges_.push_back({momentOf(gap.end, true), item});
  }

  /// By step, ends before begins, equals as they were added. O(n).
  const std::vector<LifeEdge>& sorted() {
    sortByKey(edges_, [](const LifeEdge& edge) { return edge.moment; });
    return edges_;
  }

 private:
  static std::uint32_t momentOf(Step step, bool begins) {
    return static_cast<std::uint32_t>(2 * step.count() + (begins ? 1 : 0));
  }

  std::vector<LifeEdge> edges_;
};

}  // namespace hw
