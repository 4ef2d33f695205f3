#pragma once

#include <ostream>
#include <string>

#include "core/base/columns.h"
#include "core/run/run.h"

namespace hw {

/// The name of an activity: that of the op, or of the buffer that it moves.
std::string activityName(const Run& run, ActivityId id);

/// Every activity of a run, in program order: docs/formats/activities.md. `run` outlives the
/// columns.
Columns<ActivityId> activityColumns(const Run& run);

/// CSV and JSON lines are one activity a row. JSON has the machine and all that activities touch as
/// well: enough to work the times out again.
enum class ActivitiesFormat { csv, jsonLines, json };
void writeActivities(const Run& run, ActivitiesFormat format, std::ostream& out);

}  // namespace hw
