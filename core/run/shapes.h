#pragma once

#include <memory>
#include <optional>

#include "core/run/planner.h"
#include "core/run/stages.h"

namespace hw {

struct PartitionAccount;

RunShape shapeOf(const Model& model, const RunRequest& request);

/// Several devices run it.
constexpr bool isSpread(RunShape shape) {
  return shape == RunShape::blocks || shape == RunShape::movesOnDevices;
}

/// The sharing of storage among the tensors of a run, whatever their order.
StorageOptions sharingOf(const Model& model, const RunRequest& request, RunShape shape);

/// A program to be planned.
struct Task {
  RunShape shape{};
  /// As asked, but for what runs of this shape do not do: what moves or comes near.
  RunRequest request{};
  Program program{};
  StorageOptions sharing{};
  std::shared_ptr<const TensorRules> rules{};  ///< Of the model.

  const AllocatorInfo& method() const { return *request.allocator.info; }
  bool moves() const { return request.residency != ResidencyRule::wholeLife; }
  /// True for runs whose buffers keep their places and whose inputs are loaded; likewise for
  /// outputs.
  bool inputsLoaded() const { return !moves() && request.inputs == InputPlace::loaded; }
  bool outputsStored() const { return !moves() && request.outputs == OutputPlace::stored; }
  bool fetches() const { return request.weights.near() || inputsLoaded() || outputsStored(); }
  /// Work in place is left to allocators that decide it themselves; moves take whole buffers.
  bool overlays() const {
    return method().overlays && sharing.alias.inPlace && !moves() && !fetches();
  }
  /// Graph inputs are in the far pool as the run begins, outputs as it ends.
  bool inputsFar() const {
    return inputsLoaded() || (moves() && request.inputs != InputPlace::near);
  }
  bool outputsFar() const {
    return outputsStored() || (moves() && request.outputs != OutputPlace::near);
  }
};

/// The task of a run: it follows a model's own plan in who shares memory; else sharing is as asked.
/// Fails where that plan makes no sense, and where rules of tensors cannot be kept.
Result<Task> taskOf(const Model& model, const RunRequest& request, RunShape shape, Program program);

/// The storage that the tensors of the graph share for that.
Storage storageOf(const Task& task);

/// A program with its plan: all that a run says of both. Storage, too, for a plan may have found
/// more to share.
struct PlannedTask {
  Task task{};
  Storage storage{};
  Planned planned{};
  Partition partition{};
  std::shared_ptr<const PartitionAccount> account{};

  bool fits() const { return hw::fits(planned.problem, planned.plan); }
  /// The input of its simulation; refers to all of this.
  SimulationInput simulated() const;
  /// The figures of the plan; of one that the model brings, as its author means it.
  PlanMetrics measured() const;
};

/// Plans `task` as its shape says; `given` is the problem of a model that is one. Under the rule
/// `best` every other rule is tried with a quick allocator, all with the same inputs to load and
/// outputs to store, and that which is simulated fastest is planned as asked. The blocks of several
/// devices are one of these rules unless loads or stores were asked for.
Result<PlannedTask> planTask(Task task, Storage storage, std::optional<Problem> given,
                             const PlanContext& settings);

/// The same by the rule that the task has, with the plan as the allocator makes it, beginning with
/// `rooms`.
Result<PlannedTask> planByRule(Task task, Storage storage, std::optional<Problem> given,
                               const PlanContext& settings, const RoomShare& rooms = {});

/// The notes of a run for its user, in sentences: what rewriting came to, and what of `asked` was
/// not done and why.
std::vector<std::string> notesOf(const RunRequest& asked, const PlannedTask& done);

}  // namespace hw
