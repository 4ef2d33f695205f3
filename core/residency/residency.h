#pragma once

#include <optional>

#include "core/plan/problem.h"
#include "core/storage/aliasing.h"

namespace hw {

/// Bytes that ops move to and from each buffer of `problem` over the whole run: the size of every
/// tensor in it, once for being written and once per op that reads it.
IdMap<StayId, Bytes> trafficOf(const Graph& graph, const Storage& storage, const Problem& problem);

/// The pool in which each stay lives for its whole life.
using Residency = IdMap<StayId, PoolId>;

/// One pool after the other, the nearest first, any number of them: stays are given to it by
/// traffic saved per byte held (traffic / (size x steps)), highest first, ties by id, as long as
/// the live sum stays within its budget at each of their steps; the next one gets to choose from
/// what is left, and the last takes all of it. Nothing for a budget: unbounded. Pinned stays stay
/// in the first pool. `traffic` is by stay. O(n log n) a pool.
Residency wholeLife(const Problem& problem, const IdMap<StayId, Bytes>& traffic,
                    const IdMap<PoolId, std::optional<Bytes>>& budgets);

}  // namespace hw
