#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "core/base/quantity.h"

namespace hw {

/// Bytes live over compressed time: add to a range, ask for the greatest of a range, both
/// O(log n). An implicit binary tree without push-down: a node's `most` includes its own `added`.
class LiveSum {
 public:
  explicit LiveSum(std::size_t slots)
      : leaves_(std::bit_ceil(slots)), added_(2 * leaves_), most_(2 * leaves_) {}

  /// Adds `size` to the slots from `first` to before `last`; returns the most of them then.
  Bytes add(std::size_t first, std::size_t last, Bytes size) {
    return visit(1, 0, leaves_, first, last, size);
  }

 private:
  Bytes visit(std::size_t node, std::size_t begin, std::size_t end, std::size_t first,
              std::size_t last, Bytes size) {
    if (last <= begin || end <= first) return {};
    if (first <= begin && end <= last) {
      added_[node] += size;
      return most_[node] += size;
    }
    const std::size_t middle = (begin + end) / 2;
    const Bytes most = std::max(visit(2 * node, begin, middle, first, last, size),
                                visit(2 * node + 1, middle, end, first, last, size));
    most_[node] = added_[node] + std::max(most_[2 * node], most_[2 * node + 1]);
    return added_[node] + most;
  }

  std::size_t leaves_;
  std::vector<Bytes> added_;
  std::vector<Bytes> most_;
};

}  // namespace hw
