#pragma once

#include <memory>
#include <optional>

#include "core/run/planner.h"
#include "core/run/stages.h"

namespace hw {

struct PartitionAccount;

/// What was asked for, and what the stages before storage made of it.
struct Prepared {
  const RunRequest& request;
  Program program{};
  StorageOptions sharing{};  ///< What is done of it.
  bool spread = false;       ///< Over all devices of the platform.
  /// How it is decided who lives where: as asked, if buffers have anywhere to go.
  ResidencyRule residency = ResidencyRule::wholeLife;
  bool weightsNear = false;
  bool inputsLoaded = false;   ///< Where buffers keep their places.
  bool outputsStored = false;  ///< The same.

  const AllocatorInfo& method() const { return *request.allocator.info; }
  bool inputsFar() const { return moves() || inputsLoaded; }
  bool outputsFar() const { return moves() || outputsStored; }
  bool moves() const { return residency != ResidencyRule::wholeLife; }
  bool fetches() const { return weightsNear || inputsLoaded || outputsStored; }
  /// Work in place is left to allocators that decide it themselves; moves take whole buffers.
  bool overlays() const {
    return method().overlays && sharing.alias.inPlace && !moves() && !fetches();
  }
};

/// What planning gives: storage too, for a plan may have found more to share.
struct Answer {
  Storage storage{};
  Planned planned{};
  Partition partition{};
  std::shared_ptr<const PartitionAccount> account{};
};

/// How the tensors of a graph share storage for that.
Storage storageOf(const Prepared& prepared);

/// One problem, for the pools of the first device, or of all where buffers move on all. `given` is
/// a problem from a file. Under the rule `best` every other rule is tried with a quick allocator,
/// all with the same inputs to load and outputs to store, and that which is simulated fastest is
/// planned as asked.
Result<Answer> planFirstDevice(const Prepared& prepared, Storage storage,
                               std::optional<Problem> given, const PlanContext& settings);

Simulation simulated(const Prepared& prepared, const Answer& answer);

}  // namespace hw
