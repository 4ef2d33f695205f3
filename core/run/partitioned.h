#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/residency/partition.h"
#include "core/run/planner.h"

namespace hw {

// A graph planned over the devices of a platform (docs/methods.md §3): each device places the
// blocks of its execution units, graph inputs and what it receives; tensors are placed inside their
// block.

/// The problem and the answer of the allocator for one device; the story is left out.
struct DeviceAccount {
  Planned planned{};
  std::vector<std::size_t> blocks{};  ///< Of the problem's stays: indices of partition blocks.
  std::vector<PoolId> pools{};        ///< The run's pools that are the device's.
  /// Of those: devices that share a pool have a region each.
  std::vector<RegionId> regions{};
};

/// The account of a plan that was put together from plans of its parts: explanations go by it.
struct PartitionAccount {
  std::vector<DeviceAccount> devices{};
  std::vector<Planned> blocks{};  ///< What shares a block, by partition block.
  std::vector<std::string> blockNames{};
  IdMap<StayId, std::size_t> residenceOf{};  ///< Of the run's stays.
  std::vector<StayId> firstStays{};          ///< By partition block: that of its first residence.

  /// O(stays).
  StayId stayOf(std::size_t residence) const {
    for (const StayId id : residenceOf.keys()) {
      if (residenceOf[id] == residence) return id;
    }
    return {};
  }
};

struct PartitionedPlan {
  Partition partition{};
  Planned planned{};
  std::shared_ptr<const PartitionAccount> account{};
};

/// Spreads the graph over the devices of the request's platform, and plans each with its allocator.
/// `storage` is without aliases. What lies in a memory that devices share is not copied between
/// them.
Result<PartitionedPlan> planPartitioned(const Graph& graph, const Schedule& schedule,
                                        const Storage& storage, const RunRequest& request,
                                        Bytes alignment, const PlanContext& settings);

}  // namespace hw
