#pragma once

#include <vector>

#include "core/graph/graph.h"
#include "core/machine/memory_model.h"
#include "core/plan/plan.h"
#include "core/residency/partition.h"
#include "core/schedule/schedule.h"
#include "core/sim/execute.h"
#include "core/storage/aliasing.h"

namespace hw {

/// The input of a simulation: one model, planned, on one machine.
struct SimulationInput {
  const Graph& graph;
  const Schedule& schedule;
  const Storage& storage;
  const Problem& problem;
  const Plan& plan;
  const Platform& platform;
  bool streamWeights = true;  ///< false: those without a stay cost nothing.
  /// Which op runs where, for a run over several devices; null: all on the first device.
  const Partition* partition = nullptr;
  bool inputsFar = false;   ///< Graph inputs start in the far pool, wherever they are planned.
  bool outputsFar = false;  ///< Graph outputs have to end there.
  GoOn goOn{};              ///< Where it says no, the simulation ends without its results.

  std::uint32_t deviceOf(OpId op) const {
    return partition == nullptr ? 0 : partition->deviceOf[op];
  }
};

/// The memories in which the ops of a run find its tensors.
class TensorPlaces {
 public:
  /// The place of a tensor, as `find` knows it.
  struct Place {
    PoolId pool{};         ///< The device's far pool where nothing better is known.
    StayId stay{};         ///< None: it has no address there.
    bool planned = false;  ///< Without a stay: one that lives then was given no address.
  };

  explicit TensorPlaces(const SimulationInput& input);

  /// The place where an op on `device` finds `tensor` at `step`: of the stays that live then, in
  /// the earliest pool of the device's list; of several, the one that began last.
  Place find(TensorId tensor, std::uint32_t device, Step step) const;

  /// The copy of `buffer` that arrives on `to` at `step`, and what it is made from on `from`; none
  /// where there is no address.
  struct Ends {
    StayId from{};
    StayId to{};
  };
  Ends endsOf(const DeviceTransfer& transfer) const;

  const MachinePools& machine() const { return machine_; }
  const PoolSpec& spec(PoolId pool) const { return *machine_.pools[pool].spec; }
  PoolId farPool(std::uint32_t device) const { return machine_.ofDevice[device].back(); }
  /// Which of the stay's lives `step` belongs to.
  std::uint32_t lifeAt(StayId stay, Step step) const;
  /// The rank of `pool` in its device's list of pools; nothing for another device's.
  std::optional<std::size_t> rankOf(PoolId pool, std::uint32_t device) const;
  /// The first device that has both; none: no device does.
  std::optional<std::uint32_t> deviceWith(PoolId one, PoolId other) const;

 private:
  PoolId poolOf(StayId stay) const;

  const SimulationInput& input_;
  MachinePools machine_;
  IdMap<BufferId, std::vector<StayId>> staysOf_;
};

}  // namespace hw
