#pragma once

#include <QStringList>

#include "core/run/run.h"

namespace hw {

/// What an activity is, when and where it ran and what it waited for: a line each, plain.
QStringList activityLines(const Run& run, ActivityId activity);

/// The next on the critical path after `from`, or its first where nothing is selected or `from` is
/// over before it begins; none after the last. O(path).
ActivityId nextOnPath(const Run& run, ActivityId from);

}  // namespace hw
