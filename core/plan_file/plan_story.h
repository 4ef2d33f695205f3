#pragma once

#include <vector>

#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_document.h"

namespace hw {

/// The memory events of a run, operators left out; `seq` is that of `highwater simulate --events`.
std::vector<EventRow> memoryEvents(const Run& run);

/// The memory events that the addresses of a plan on paper amount to: what a planner that already
/// knows them would do. Needs no model; every group of tensors that share bytes counts as one
/// buffer. All happens at time 0, and `seq` counts these events alone. Fails when the plan does not
/// say sizes and steps, or is not valid in itself.
Result<std::vector<EventRow>> memoryEvents(const PlanDocument& plan);

}  // namespace hw
