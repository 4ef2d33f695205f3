#pragma once

#include <optional>
#include <string>

#include "core/insight/moment.h"
#include "core/report/text/text_table.h"
#include "core/run/run.h"

namespace hw {

/// The plan for people: what was asked, what came out per pool, where every tensor went.
std::string planText(const Run& run, const TextOptions& options);

/// "complete: L2 30 B, 15.4 % over the lower bound of all pools": one line.
std::string planLine(const Run& run);

/// Reason why there is no plan, or none that fits, in one sentence; nothing when there is one.
std::optional<std::string> planFailure(const Run& run);

/// "L2 2.00 MiB, L3 unlimited": how much of each memory may be planned.
std::string capacitiesText(const Run& run);

/// "free-list:pick=best on L2 2.00 MiB, L3 unlimited; alignment 64": what a run was asked for.
std::string requestText(const Run& run);

/// Autopsy as one sentence with the figures that matter.
std::string autopsyText(const Run& run, const Autopsy& found);

}  // namespace hw
