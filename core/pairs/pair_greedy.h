#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_field.h"

namespace hw {

/// A quick plan for proofs to start from: block after block at the cheapest legal place that
/// touches something, the lowest of those, the largest blocks first; then `rounds` times anew, with
/// those in front that found no place or paid (squeaky wheel: Joslin and Clements 1999). The best
/// offsets by block; empty if none of these orders placed all. Ends early at cost 0. Nodes are
/// placements.
std::vector<std::int64_t> cheapPlan(const PairField& field, int rounds, PairBudget& budget);

}  // namespace hw
