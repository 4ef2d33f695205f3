#pragma once

#include <vector>

#include "core/plan/problem.h"

namespace hw {

// Orders in which offline planners place the stays of one pool. Ties always go by id.

/// As they are produced.
std::vector<StayId> productionOrder(const Problem& problem, PoolId pool);

/// Largest first.
std::vector<StayId> sizeOrder(const Problem& problem, PoolId pool);

/// Largest first, then longest.
std::vector<StayId> sizeLengthOrder(const Problem& problem, PoolId pool);

/// Longest first, then largest.
std::vector<StayId> lengthSizeOrder(const Problem& problem, PoolId pool);

/// Largest size x steps first.
std::vector<StayId> areaOrder(const Problem& problem, PoolId pool);

/// Steps by live bytes, fullest first; at each its stays that are not in the order yet, largest
/// first (Pisarchyk and Lee 2020, greedy by breadth).
std::vector<StayId> breadthOrder(const Problem& problem, PoolId pool);

/// Most stays live at the same time first, then largest. The count is over whole lifetimes, gaps
/// included.
std::vector<StayId> conflictOrder(const Problem& problem, PoolId pool);

/// Highest live bytes at any of its steps first, then longer, earlier, larger (Vela's start).
std::vector<StayId> urgencyOrder(const Problem& problem, PoolId pool);

}  // namespace hw
