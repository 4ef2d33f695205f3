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

/// A crowd around a vertex to which no vertex can be added; of those that fit the heaviest first.
PairCrowd crowdAround(const std::vector<std::vector<std::uint32_t>>& neighbours,
                      const std::vector<std::int64_t>& weights, std::uint32_t vertex);

/// A heaviest crowd of a graph. `neighbours` by vertex, ascending; `weights` are positive. The best
/// of those that grow greedily around each vertex, then branch and bound with colours; more than
/// 16,384 vertices are not searched.
PairCrowd heaviestCrowd(const std::vector<std::vector<std::uint32_t>>& neighbours,
                        const std::vector<std::int64_t>& weights, PairBudget& budget);

}  // namespace hw
