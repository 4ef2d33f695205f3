#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/machine/memory_model.h"
#include "core/plan/problem.h"
#include "core/storage/aliasing.h"

namespace hw {

using DeviceIndex = std::uint32_t;

/// A maximal run of consecutive ops on one device: what is dispatched to it at once.
struct SubFunction {
  DeviceIndex device = 0;
  Interval<Step> steps{};
  std::vector<OpId> ops{};
};

/// A maximal run of consecutive ops of a sub-function on one compute unit: memory is managed by it.
struct ExecutionUnit {
  DeviceIndex device = 0;
  std::uint32_t unit = 0;  ///< Index into the device's units.
  std::size_t subFunction = 0;
  Interval<Step> steps{};
  std::vector<OpId> ops{};
};

/// A buffer on a device for a while: where it is produced, or a copy that was received there.
struct Residence {
  BufferId buffer{};
  DeviceIndex device = 0;
  Interval<Step> steps{};  ///< When its bytes are needed there.
  bool received = false;
  std::size_t block = 0;  ///< Index into the partition's blocks.
};

/// The contents of one allocation on a device: all that an execution unit produces, or one graph
/// input, or one received buffer.
struct UnitBlock {
  enum class Kind { input, received, unit };
  Kind kind{};
  DeviceIndex device = 0;
  Interval<Step> steps{};                 ///< From its first use until its use count reaches 0.
  std::vector<std::size_t> residences{};  ///< Indices into the partition's residences.
  std::size_t executionUnit = 0;          ///< For Kind::unit.
  std::vector<std::size_t> users{};       ///< Units that use it, its own apart; ascending.
  int outputs = 0;                        ///< Uses as graph outputs.
  int transfers = 0;                      ///< Uses by transfers to other devices.
  bool outlives = false;

  int units() const { return static_cast<int>(users.size()); }
  int useCount() const { return units() + outputs + transfers; }
};

/// A copy of a buffer from the device that produced it to one that needs it, at the first step of
/// the sub-function that does.
struct DeviceTransfer {
  BufferId buffer{};
  DeviceIndex from = 0;
  DeviceIndex to = 0;
  Step step{};
};

/// A device that reads a buffer where another one has it: in a memory that both share.
struct SharedRead {
  BufferId buffer{};
  DeviceIndex by = 0;
  friend constexpr auto operator<=>(const SharedRead&, const SharedRead&) = default;
};

/// A graph spread over devices: docs/methods.md §3.
struct Partition {
  IdMap<OpId, DeviceIndex> deviceOf{};
  std::vector<SubFunction> subFunctions{};
  std::vector<ExecutionUnit> units{};
  std::vector<Residence> residences{};
  std::vector<UnitBlock> blocks{};  ///< In the order in which they are allocated.
  std::vector<DeviceTransfer> transfers{};
};

/// The home of each tensor when every op runs on the first device listed that supports it: the one
/// device whose ops write and read it, or StorageOptions::kManyHomes where it crosses.
IdMap<TensorId, DeviceIndex> homesOf(const Graph& graph, const Platform& platform);

/// Assigns every op to the first listed device that supports it and, there, to the first unit that
/// does; then derives blocks, use counts and transfers. A buffer of several tensors must be on one
/// device as a whole; it belongs to the unit that opens it, and others that write or read it use
/// that unit's block. Fails on an op that no device supports, naming it and its type. Folded ops
/// run nowhere: they get device 0 and belong to no unit. What is `shared` is not copied; ascending.
Result<Partition> partitionGraph(const Graph& graph, const Schedule& schedule,
                                 const Storage& storage, const Platform& platform,
                                 const std::vector<SharedRead>& shared = {});

}  // namespace hw
