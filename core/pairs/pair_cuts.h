#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_field.h"

namespace hw {

// Bounds for penalties from the bytes that pairs of some blocks have to share because all lie below
// the capacity. A byte under n blocks is shared by n(n-1)/2 pairs, so that q * room + r bytes of
// sizes make pairs share q(q-1)/2 * room + q * r bytes at least, where they are spread evenly (the
// count of Turan 1941 for blocks of one size). A pair that is paid shares at most the smaller size;
// one that is kept apart shares what its distances allow.

/// The least sum of costs that the sharing of these blocks, or of the most crowded among them,
/// forces; 0 if none, or for more than 128 blocks.
std::int64_t leastSharingCost(const PairField& field, const std::vector<std::uint32_t>& blocks);

/// A lower bound for the sum of costs: the linear relaxation of many such sets of blocks at once,
/// solved approximately by subgradient steps on its dual (Held and Karp 1971); each point of the
/// dual gives a bound, and the best one is computed anew in whole numbers. The sets are those for
/// which the solutions so far pay too little. Nodes are steps and sets looked for. 0 for more than
/// 2,000 blocks, or costs that sum up to 2^32.
std::int64_t leastCostByCuts(const PairField& field, PairBudget& budget);

}  // namespace hw
