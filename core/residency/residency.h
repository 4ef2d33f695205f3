#pragma once

#include <optional>
#include <vector>

#include "core/plan/problem.h"
#include "core/storage/aliasing.h"

namespace hw {

/// Bytes that ops move to and from each buffer over the whole run: the size of every tensor in it,
/// once for being written and once per op that reads it.
IdMap<BufferId, Bytes> bufferTraffic(const Graph& graph, const Storage& storage);

/// The single-level strategy: every stay lives in the first pool (L2) or the second (L3) for its
/// whole life. Stays are given to L2 by traffic saved per byte held (traffic / (size x steps)),
/// highest first, ties by id, as long as the live sum stays within `budget` at each of their steps;
/// what is left goes to L3. Pinned stays stay in L2. Returns the pool of each stay; `traffic` is by
/// stay. O(n log n).
IdMap<StayId, PoolId> singleLevel(const Problem& problem, const IdMap<StayId, Bytes>& traffic,
                                  Bytes budget);

}  // namespace hw
