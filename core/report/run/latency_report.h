#pragma once

#include <string>

#include "core/base/json.h"
#include "core/report/plan/plan_text.h"
#include "core/run/run.h"

namespace hw {

/// Why the run takes so long, for people: engines and what they waited for, ports, the critical
/// path in words. Empty for a run that does one thing after the other, which has nothing to tell.
std::string latencyText(const Run& run, const PlanTextOptions& options);

/// Bounds, the price of reuse, engines, ports, the critical path and every activity.
Json latencyJson(const Run& run);

}  // namespace hw
