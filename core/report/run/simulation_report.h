#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/plan/plan_text.h"
#include "core/run/run.h"

namespace hw {

/// The run on its machine for people: latency, traffic by pool and class, what limits it, the
/// slowest operators.
std::string simulationText(const Run& run, const PlanTextOptions& options);

/// The same, complete, for programs. Keys in a fixed order; equal runs give equal bytes.
Json simulationJson(const Run& run);

/// One row an operator, in step order.
std::string simulationCsv(const Run& run);

}  // namespace hw
