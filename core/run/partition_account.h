#pragma once

#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/residency/partition.h"

namespace hw {

/// What the nested allocator was asked for one device, and answered; stories are left out.
struct DeviceAccount {
  Problem problem{};
  Plan plan{};
  std::vector<std::size_t> blocks{};  ///< Of the problem's stays: indices of partition blocks.
  PoolId firstPool{};                 ///< The run's pool that is the device's first.
};

/// The same for what shares a block inside it.
struct BlockAccount {
  Problem problem{};
  Plan plan{};
};

/// How a partitioned run was put together from plans of its parts: what explanations go by.
struct PartitionAccount {
  std::vector<DeviceAccount> devices{};
  std::vector<BlockAccount> blocks{};  ///< By partition block.
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

}  // namespace hw
