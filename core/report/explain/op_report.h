#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/text/text_table.h"
#include "core/run/run.h"

namespace hw {

/// The step of the operator called `name`, or of the number `name`; otherwise an error that says
/// which names come close. Of several the first.
Result<Step> plannedOp(const Run& run, std::string_view name);

/// Time, work, traffic and what limits the operator at a step: a line, or a key, each.
std::string explainOpText(const Run& run, Step step, const TextOptions& options);
Json explainOpJson(const Run& run, Step step);

}  // namespace hw
