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

/// The tables of docs/methods.md §3, finished: sub-functions, execution units, blocks and
/// transfers. `names` and `places` are those of the blocks.
std::vector<MethodTable> partitionTables(const Graph& graph, const Storage& storage,
                                         const Platform& platform, const Partition& partition,
                                         const std::vector<std::string>& names,
                                         const std::vector<std::optional<Address>>& places);

/// The input of `partitionRecord`: all parts belong to one plan.
struct PartitionParts {
  const Platform& platform;
  const Partition& partition;
  const Problem& problem;                      ///< Of the run: a stay for every residence.
  const std::vector<StayId>& stayOf;           ///< By residence, like the next.
  const std::vector<Bytes>& offsets;           ///< Inside their blocks.
  const std::vector<std::string>& blockNames;  ///< By block, like the next two.
  const std::vector<Bytes>& sizes;
  const std::vector<std::optional<Address>>& places;
  const std::vector<Bytes>& begins;  ///< Flat offsets of those places.
};

/// The record of the lists of docs/methods.md §3, step by step: sub-functions are dispatched,
/// units begin, blocks are taken, tensors copied and made; then uses count down, and at 0 a block
/// goes with all that is in it.
MethodRecord partitionRecord(const PartitionParts& parts);

}  // namespace hw
