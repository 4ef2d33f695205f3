#pragma once

#include <functional>
#include <vector>

#include "core/allocators/allocator.h"
#include "core/allocators/offline.h"
#include "core/solver/placer.h"

namespace hw {

// Planning where lives alone do not say who may share bytes: the offline methods place the blocks
// of `PairModel`s then (core/plan/pair_blocks.h), each in its own order and by its own rule. The
// pool of every stay is decided.

/// An order of the stays of a pool.
using StayOrder = std::function<std::vector<StayId>(PoolId)>;

/// Places by one rule in each of `orders`, of which there is one at least: the lowest plan of each
/// set of pools, the first of equals.
Result<Plan> placeConstrained(const Problem& problem, FitRule rule,
                              const std::vector<StayOrder>& orders);

/// The aim of a search.
enum class ConstrainedAim : std::uint8_t {
  peak,     ///< The lowest plan.
  penalty,  ///< The least sum of penalties within the capacities.
};

/// The means of a search for `aim`, in the order in which they are used.
struct ConstrainedSearch {
  ConstrainedAim aim = ConstrainedAim::peak;
  SearchBudget budget{};  ///< Moves of the search, nodes of the proof.
  bool proves = true;     ///< Goes on to the exact search where the bound is not met.
};

/// The best plan that is found of each set of pools, with notes on what is proved of it, and a
/// table "progress POOL".
Result<Plan> searchConstrained(const Problem& problem, const PlanContext& context,
                               const ConstrainedSearch& search);

}  // namespace hw
