#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/plan/metrics.h"
#include "core/residency/partition.h"
#include "core/run/run_request.h"
#include "core/sim/simulator.h"
#include "core/trace/timeline.h"
#include "core/trace/trace.h"

namespace hw {

class CommonWork;

struct RunContext {
  std::stop_token stop{};
  std::function<void(double, const std::string&)> progress{};  ///< Fraction done, what is going on.
  /// Told where the search for a pool stands, in figures: see PlanContext.
  std::function<void(const std::string&, const ExactProgress&)> search{};
  /// False: the plan and its metrics are all that is asked for. The run has no timing, trace or
  /// timeline, and the plan no story: on a million buffers they cost more than the plan.
  bool simulate = true;
  /// True: the plan has a record of every state that its method went through.
  bool record = false;
  bool oneOfMany = false;  ///< See PlanContext.
  /// The parts that runs of this model have in common, kept from one to the next
  /// (core/run/stages.h); null: this is the only run.
  std::shared_ptr<CommonWork> common{};
};

struct PartitionAccount;

/// One model, planned and simulated: immutable, shared by every view and report. Assembled when all
/// its stages are through (core/run/stages.h); each part refers to those before it by id only.
struct Run {
  std::shared_ptr<const Model> model{};
  RunRequest request{};  ///< As asked for: no stage writes into it.
  /// The graph as stages before planning rewrote it; null: the model's own.
  std::shared_ptr<const Graph> rewritten{};
  /// The sharing that was carried out of what was asked for: not every method can do all.
  StorageOptions sharing{.alignment = Bytes(1)};
  Schedule schedule{};
  /// The account of that order; nothing where it is the given one, whatever was moved then.
  std::optional<OrderAccount> order{};
  Storage storage{};      ///< The identity for a planning problem.
  Partition partition{};  ///< Of a run over several devices; empty otherwise.
  /// The account of how that run was put together; null otherwise.
  std::shared_ptr<const PartitionAccount> partitionAccount{};
  Problem problem{};  ///< What the allocator was given last: pools decided.
  Plan plan{};
  PlanMetrics metrics{};
  bool inputsFar = false;   ///< Graph inputs are in the far pool as the run begins,
  bool outputsFar = false;  ///< and graph outputs as it ends, wherever they are planned.
  Timing timing{};          ///< Empty unless simulated, like the next two.
  Trace trace{};
  std::vector<TimelineEntry> timeline{};
  double planSeconds = 0;            ///< Wall time of the allocator alone.
  std::vector<std::string> notes{};  ///< Anything a user should know, in sentences.

  const Graph& graph() const { return rewritten ? *rewritten : *model->graph; }
  /// The name of a stay: its buffer's root tensor, or the problem's id column.
  std::string stayName(StayId id) const;
  /// The stay's root tensor.
  TensorId stayTensor(StayId id) const;
};

/// True if the plan fits what it was given.
inline bool fits(const Run& run) { return fits(run.problem, run.plan); }

/// The only orchestration: one stage after the other, each a function of what came before. CLI,
/// studio, compare and tests all call it. Fails on bad options and on stop; a plan that does not
/// fit is a Run with that status.
Result<std::shared_ptr<const Run>> execute(std::shared_ptr<const Model> model,
                                           const RunRequest& request, const RunContext& context);

/// The same for a model that nobody else needs: the stays of a planning problem move into the run
/// instead of being copied, which for a million of them is a fifth of all memory. The problem in
/// the run's model is empty afterwards; `Run::problem` has it.
Result<std::shared_ptr<const Run>> executeOnce(Model model, const RunRequest& request,
                                               const RunContext& context);

/// Times, story and timeline of `run`, from its plan and its platform.
void play(Run& run);

/// The plan of `run` as it is, played on another machine: the same devices and memories with other
/// speeds, channels or units. Nothing is planned; the request says `platform`. A run of a planning
/// problem stays as it is.
std::shared_ptr<const Run> replayed(const Run& run, Platform platform);

/// Another plan of the same stays, within what `request` says of the first pool: finished, measured
/// and played as `execute` would have. `request` differs from that of `run` in who plans and in how
/// much, and says so.
std::shared_ptr<const Run> replanned(const Run& run, Plan plan, RunRequest request);

}  // namespace hw
