#pragma once

#include <optional>
#include <vector>

#include "core/memory/memory_model.h"
#include "core/plan/problem.h"
#include "core/storage/aliasing.h"

namespace hw {

/// Which pool every buffer lives in.
struct Residency {
  IdMap<BufferId, PoolId> pools{};   ///< None: the allocator chooses.
  std::vector<BufferId> spilled{};   ///< Those that live in L3, ascending.
};

/// Bytes an op stream moves to and from each buffer: size times (producers + readers).
IdMap<BufferId, Bytes> bufferTraffic(const Graph& graph, const Schedule& schedule,
                                     const Storage& storage);

/// Each buffer lives in L2 or L3 for its whole life. Buffers are given to L2 by traffic saved per
/// byte held (size x steps), highest first, while the live sum at each of its steps stays within
/// `budget`; the rest go to L3. Everything fits without a budget. Ties: smaller id. O(n log n).
Residency singleLevel(const Storage& storage, const IdMap<BufferId, Bytes>& traffic,
                      std::optional<Bytes> budget, Bytes alignment);

}  // namespace hw
