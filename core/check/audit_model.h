#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/tensor_names.h"
#include "core/run/run.h"

namespace hw {

/// Demand of a model for any plan, tensor by tensor.
struct Demand {
  Bytes size{};                         ///< Exact.
  std::vector<Interval<Step>> steps{};  ///< In which it is needed; ascending, disjoint.
};

/// From when to when a placement holds its bytes: as it says, or else as long as they are needed.
Interval<Step> statedSteps(const Placement& placement, const std::optional<Demand>& demand);

/// The program a plan was made for: a model, and the order of its ops.
struct StatedProgram {
  std::shared_ptr<const Model> model{};
  Schedule schedule{};
};
/// The program of a plan; with the model in parts where the settings say so.
Result<StatedProgram> statedProgram(const std::shared_ptr<const Model>& model,
                                    const PlanDocument& plan);

/// "step 3" or "steps 3-5", from a half-open interval.
std::string spelledSteps(const Interval<Step>& steps);

/// The order of the ops that a plan was made for: its schedule, or the model's own order with the
/// moves of its settings.
Result<Schedule> statedOrder(const Graph& graph, const PlanDocument& plan);

/// Demands by tensor; nothing for one that needs no place (weights, empty, unsized, external).
IdMap<TensorId, std::optional<Demand>> demandsOf(const Model& model, const Schedule& schedule,
                                                 bool planInputs, bool planOutputs);

/// Takes back the demands of scratch that `storage` has no place for: its op does not run over its
/// input.
void dropIdleScratch(const Graph& graph, const Storage& storage,
                     IdMap<TensorId, std::optional<Demand>>& demands);

/// A placement whose tensors are known to the model.
struct Resolved {
  const Placement* placement = nullptr;
  TensorId tensor{};
  TensorId root{};  ///< At the end of its chain of aliases; itself without one.
};

/// Storage as the model's tensors share it if the plan is right about it.
struct AliasReading {
  Storage storage{};
  AliasRules rules{};
  bool explains = false;  ///< Every tensor shares what the plan says it shares, no more, no less.
};

struct AliasQuestion {
  std::vector<AliasRules> rules{};  ///< To try, in this order; at least one.
  StorageOptions options{};         ///< Its rules are ignored.
  bool buffersOnly = false;         ///< The plan lists roots, and all of them.
};

/// The first of the rules that explains the plan; else the first of them, not explaining it.
AliasReading readAliases(const Graph& graph, const Schedule& schedule,
                         const std::vector<Resolved>& placements, const AliasQuestion& question);

/// `storage` with a buffer for each weight that is placed: where things move, loads bring some.
Storage withPlacedWeights(const Graph& graph, const Schedule& schedule, Storage storage,
                          const std::vector<Resolved>& placements);

/// The rules in the order in which they are worth trying: what the plan says about itself, views,
/// none, all, then every other combination.
std::vector<AliasRules> rulesToTry(const PlanDocument& plan);

/// A plan from a file, resolved: where every tensor is and who shares storage with whom.
struct AuditedRunParts {
  struct Pool {
    std::string name{};
    Bytes size{};
  };
  std::shared_ptr<const Model> model{};
  Schedule schedule{};
  Bytes alignment{1};
  Storage storage{};  ///< Ignored for a planning problem.
  std::vector<Pool> pools{};
  /// Place of a tensor for some steps.
  struct Presence {
    Address address{};
    Interval<Step> steps{};
  };
  IdMap<TensorId, std::vector<Presence>> places{};
  /// A buffer that goes from one pool to another; none: outside of the plan.
  struct Moved {
    BufferId buffer{};
    PoolId from{};
    PoolId to{};
    Step step{};
  };
  std::vector<Moved> moves{};  ///< Ascending by step.
};

/// The plan as a run, so that what works on runs (the byte-level replay) works on it. It has no
/// story, no timing and no metrics. A buffer in several places has a stay in each; a move is
/// between those that are in its pools at its step, and names none where there is none. Null when a
/// buffer has no place, or a stay of a planning problem several.
std::shared_ptr<const Run> assembleRun(AuditedRunParts parts);

/// Bytes that somebody holds for some steps.
struct Holding {
  std::size_t owner = 0;  ///< Of the caller's choosing; handed back in conflicts.
  std::size_t group = 0;  ///< Holdings of one group may share memory.
  std::size_t pool = 0;
  Interval<Bytes> bytes{};
  Interval<Step> steps{};
};

struct HoldingCheck {
  std::vector<std::pair<Holding, Holding>> conflicts{};  ///< Pairs of different groups.
  Bytes peakLive{};  ///< Most bytes held at one step over all pools, shared ones once.
};

/// All pairs of different groups that share memory and time, where some of them may. O(n log n +
/// pairs that share time).
std::vector<std::pair<Holding, Holding>> everyConflict(std::vector<Holding> holdings);

/// Finds holdings that share memory and time without being of one group; of three that share the
/// same, not every pair.
HoldingCheck checkHoldings(const std::vector<Holding>& holdings, std::size_t pools);

}  // namespace hw
