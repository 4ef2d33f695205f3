#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_dolls.h"
#include "core/pairs/pair_field.h"

namespace hw {

/// The least sum of costs within the capacity, for fields whose blocks have too many places: pair
/// by pair it is decided whether it is kept apart or may be paid, and a packing search says whether
/// the pairs kept apart fit. `start` may be empty, or a plan to be better than; `bound`: no plan
/// costs less, known beforehand. Costs sum up to less than 2^62.
PairDolls leastCostByPayments(const PairField& field, const std::vector<std::int64_t>& start,
                              std::int64_t bound, PairBudget& budget);

}  // namespace hw
