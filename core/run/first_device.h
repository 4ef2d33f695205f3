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
  StorageOptions sharing{};       ///< What is done of it.
  StorageOptions blockSharing{};  ///< The same in blocks of several devices.
  bool spread = false;            ///< Over all devices of the platform.
  /// How it is decided who lives where: as asked, if buffers have anywhere to go.
  ResidencyRule residency = ResidencyRule::wholeLife;
  bool weightsNear = false;
  bool inputsLoaded = false;   ///< Where buffers keep their places.
  bool outputsStored = false;  ///< The same.
  bool endsNear = false;  ///< Graph inputs and outputs are where they are planned all the time.

  const AllocatorInfo& method() const { return *request.allocator.info; }
  bool inputsFar() const { return !endsNear && ((moves() && !request.nearInputs) || inputsLoaded); }
  bool outputsFar() const {
    return !endsNear && ((moves() && !request.nearOutputs) || outputsStored);
  }
  bool moves() const { return residency != ResidencyRule::wholeLife; }
  bool fetches() const { return weightsNear || inputsLoaded || outputsStored; }
  /// Outputs may overlap inputs: one device, whose buffers keep their places.
  bool overlaps() const {
    return request.overlap && method().overlaps && method().way == Way::direct && !spread &&
           !moves() && !fetches();
  }
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
  bool blocks = false;  ///< Of several devices, each of which places blocks: nothing moves.
};

/// How the tensors of a graph share storage for that.
Storage storageOf(const Prepared& prepared);

/// What is to come near before ops read it: weights by the buffers behind those of `storage`.
Fetching fetchingOf(const Prepared& prepared, const Storage& storage);

/// One problem, for the pools of the first device, or of all where buffers move on all; where they
/// move on none, a block per execution unit. `given` is a problem from a file. Under the rule
/// `best` every other rule is tried with a quick allocator, all with the same inputs to load and
/// outputs to store, and that which is simulated fastest is planned as asked. The blocks of several
/// devices are one of these rules unless loads or stores were asked for.
Result<Answer> planFirstDevice(const Prepared& prepared, Storage storage,
                               std::optional<Problem> given, const PlanContext& settings);

/// What the plan amounts to; of one that the model brings, as its author means it.
PlanMetrics measured(const Prepared& prepared, const Answer& answer);

Simulation simulated(const Prepared& prepared, const Answer& answer, GoOn goOn = {});

/// What a user should know of a run, in sentences: what rewriting came to, and what of the request
/// was not done and why.
std::vector<std::string> notesOf(const Prepared& prepared, const Answer& answer);

}  // namespace hw
