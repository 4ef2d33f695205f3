#pragma once

#include <optional>
#include <vector>

#include "core/plan_file/plan_document.h"
#include "core/plan_file/tensor_names.h"

namespace hw {

/// What a model asks of any plan, tensor by tensor.
struct Demand {
  Bytes size{};                         ///< Exact.
  std::vector<Interval<Step>> steps{};  ///< In which it is needed; ascending, disjoint.
};

/// From when to when a placement holds its bytes: as it says, or else as long as they are needed.
Interval<Step> statedSteps(const Placement& placement, const std::optional<Demand>& demand);

/// What a plan was made for: a model, and the order of its ops.
struct StatedProgram {
  std::shared_ptr<const Model> model{};
  Schedule schedule{};
};
/// Where the settings say that operators run in parts, the model in those parts.
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

/// How the model's tensors share storage if the plan is right about it.
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

}  // namespace hw
