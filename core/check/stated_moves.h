#pragma once

#include <functional>

#include "core/check/audit_run.h"
#include "core/check/plan_audit.h"

namespace hw {

/// The moves that a plan states, ascending by step; `findings` gets one for each of which the
/// tensor or a pool is not known.
std::vector<AuditedRunParts::Moved> resolveMoves(
    const std::vector<StatedMove>& stated,
    const std::function<BufferId(const std::string&)>& bufferNamed,
    const std::vector<AuditedRunParts::Pool>& pools, std::vector<Finding>& findings);

/// What is wrong with the moves of an assembled run: one without a place at either end, else what
/// its byte-level replay finds, which asks for every operand when it is read.
std::vector<Finding> auditMovedRun(const Run& run);

}  // namespace hw
