#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/memory_model.h"
#include "core/plan/plan.h"
#include "core/residency/partition.h"

namespace hw {

/// "graph input", "received", "execution unit".
std::string_view blockKindName(UnitBlock::Kind kind);

/// What docs/methods.md §3 comes to, finished: sub-functions, execution units, blocks and
/// transfers. `names` and `places` are those of the blocks.
std::vector<MethodTable> partitionTables(const Graph& graph, const Storage& storage,
                                         const Platform& platform, const Partition& partition,
                                         const std::vector<std::string>& names,
                                         const std::vector<std::optional<Address>>& places);

}  // namespace hw
