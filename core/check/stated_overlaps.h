#pragma once

#include <functional>
#include <vector>

#include "core/check/audit_model.h"
#include "core/check/audit_overlap.h"
#include "core/check/plan_audit.h"

namespace hw {

/// What the overlaps that a plan states are held against.
struct OverlapAudit {
  const Graph& graph;
  const Schedule& schedule;
  const Storage& storage;  ///< As the plan shares it.
  std::function<std::optional<TensorId>(const std::string&)> tensorNamed{};
  std::function<TensorId(const Holding&)> tensorOf{};
};

/// `holdings`, in which each input holds, while an output is written over a part of it as the plan
/// states, the rest only. Stated overlaps that the graph does not allow, because the op is not made
/// of rows, or a row would lie on bytes that others still read (`firstSpoiler`), change nothing and
/// get a finding.
std::vector<Holding> withStatedOverlaps(const OverlapAudit& audit,
                                        const std::vector<StatedOverlap>& stated,
                                        std::vector<Holding> holdings,
                                        std::vector<Finding>& findings);

/// Whether a tensor is where the model's own plan has it, in a plan that says to be that one: what
/// it shares with others of that kind is its author's word, and no accident.
bool isDeclared(const PlanDocument& plan, const Graph& graph, const Resolved& resolved);

/// "'a' and 'b' share bytes 0-63 of L2 in step 3".
std::string overlapText(const Placement& first, const Holding& a, const Placement& second,
                        const Holding& b, const std::string& pool);

}  // namespace hw
