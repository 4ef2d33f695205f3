#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_field.h"

namespace hw {

/// Vertices of a graph of which each two are neighbours.
struct PairCrowd {
  std::vector<std::uint32_t> members{};  ///< Ascending.
  std::int64_t weight = 0;               ///< At most 2^62: larger sums count as that.
  bool proved = false;                   ///< No crowd weighs more.
};

/// The sum of two weights, at most 2^62.
std::int64_t joinedWeight(std::int64_t a, std::int64_t b);

/// A heaviest crowd of a graph. `neighbours` by vertex, ascending; `weights` are positive. The best
/// of those that grow greedily until each vertex is in one, then branch and bound; more than 16,384
/// vertices are not searched.
PairCrowd heaviestCrowd(const std::vector<std::vector<std::uint32_t>>& neighbours,
                        const std::vector<std::int64_t>& weights, PairBudget& budget);

}  // namespace hw
