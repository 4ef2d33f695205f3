#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/import/importer.h"
#include "core/memory/memory_model.h"
#include "core/plan/metrics.h"
#include "core/residency/partition.h"
#include "core/schedule/moves.h"
#include "core/sim/simulator.h"
#include "core/storage/aliasing.h"
#include "core/trace/timeline.h"
#include "core/trace/trace.h"

namespace hw {

/// How large a pool is for planning.
struct PoolSize {
  enum class Kind { platform, unbounded, bytes } kind = Kind::platform;
  Bytes bytes{};
};

/// Everything a user can choose about a run.
struct RunConfig {
  AllocatorChoice allocator{};
  Platform platform{};
  PoolSize l2{};
  PoolSize l3{};
  std::optional<Bytes> alignment{};  ///< Default: 64 for graphs, 1 for planning problems.
  std::vector<OpMove> moves{};       ///< Changes of the order of the ops, one after the other.
  AliasRules alias{};
  bool planInputs = true;
  bool planOutputs = true;
  bool streamWeights = true;
  std::uint64_t seed = 1;
  int threads = 1;
  double timeLimit = 0;
};

struct RunContext {
  std::stop_token stop{};
  std::function<void(double, const std::string&)> progress{};  ///< Fraction done, what is going on.
  /// False: the plan and its metrics are all that is asked for. The run has no timing, trace or
  /// timeline, and the plan no story: on a million buffers they cost more than the plan.
  bool simulate = true;
};

struct PartitionAccount;

/// One model, planned and simulated: immutable, shared by every view and report. Built in pipeline
/// order; each part refers to those before it by id only.
struct Run {
  std::shared_ptr<const Model> model{};
  RunConfig config{};
  Bytes alignment{1};
  Schedule schedule{};
  Storage storage{};      ///< Empty for a planning problem.
  Partition partition{};  ///< Of a run over several devices; empty otherwise.
  /// How that run was put together; null otherwise.
  std::shared_ptr<const PartitionAccount> partitionAccount{};
  Problem problem{};              ///< What the allocator was given last: pools decided.
  std::vector<StayId> spilled{};  ///< Stays that live in L3 because L2 has no room; ascending.
  Plan plan{};
  PlanMetrics metrics{};
  Timing timing{};  ///< Empty unless simulated, like the next two.
  Trace trace{};
  std::vector<TimelineEntry> timeline{};
  double planSeconds = 0;            ///< Wall time of the allocator alone.
  std::vector<std::string> notes{};  ///< Anything a user should know, in sentences.

  const Graph& graph() const { return *model->graph; }
  /// What to call a stay: its buffer's root tensor, or the problem's id column.
  std::string stayName(StayId id) const;
  /// The stay's root tensor.
  TensorId stayTensor(StayId id) const;
};

/// The only orchestration: schedule, storage, residency, allocation, simulation. CLI, studio,
/// compare and tests all call it. Fails on bad options and on stop; a plan that does not fit is a
/// Run with that status.
Result<std::shared_ptr<const Run>> execute(std::shared_ptr<const Model> model,
                                           const RunConfig& config, const RunContext& context);

}  // namespace hw
