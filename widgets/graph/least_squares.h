#pragma once

#include <vector>

namespace hw {

/// The places closest to `wanted`, by weighted squares, of which each is at least `gaps[i]` after
/// the one before: pool adjacent violators (Ayer et al. 1955). Weights are positive, `gaps` has one
/// fewer. O(n).
std::vector<double> placeApart(const std::vector<double>& wanted,
                               const std::vector<double>& weights, const std::vector<double>& gaps);

}  // namespace hw
