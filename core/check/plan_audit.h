#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/memory_model.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// Facts that the auditor takes for granted instead of what the plan says about itself.
struct AuditOptions {
  std::optional<AliasRules> alias{};  ///< Nothing: the rules that explain the plan's aliases.
  std::optional<bool> planInputs{};   ///< Nothing: as the plan says, else true.
  std::optional<bool> planOutputs{};
  std::optional<Bytes> alignment{};           ///< Nothing: as the plan says, else 1.
  std::map<std::string, Bytes> capacities{};  ///< By pool, besides the plan's own.
  std::optional<Platform> platform{};         ///< Nothing: as the plan says, else as its pools do.
};

/// One thing wrong with a plan, in words.
struct Finding {
  std::string message{};
  std::string where{};  ///< In the plan's file; may be empty.
};

/// Summary of the placements of one pool.
struct AuditedPool {
  std::string name{};
  Bytes top{};  ///< One past the highest byte placed.
  std::size_t placements = 0;
};

struct Audit {
  std::vector<Finding> findings{};     ///< Empty: the plan is valid.
  std::vector<std::string> remarks{};  ///< Odd, but not wrong.
  std::vector<AuditedPool> pools{};
  std::size_t tensors = 0;  ///< Of the model that need a place.
  Bytes lowerBound{};       ///< Most bytes that the placements hold live at one step, all pools.
  /// The plan as a run that can be replayed on bytes; null when it is too broken.
  std::shared_ptr<const Run> run{};
};

/// Holds `plan` against the model's own tensors, sizes and lifetimes: everything placed, large
/// enough, for as long as it is needed; aliases that the model allows; no two that share memory and
/// time; alignment, peaks, capacities and status as stated. Shares no code with the planners.
Audit auditPlan(const std::shared_ptr<const Model>& model, const PlanDocument& plan,
                const AuditOptions& options);

}  // namespace hw
