#pragma once

#include <QString>

#include "core/run/run.h"

namespace hw {

/// A page of HTML about one activity of a run: where and when it ran, of what its time is made,
/// what it waited for and whether the latency hangs on it; with links "activity:N", "stay:N" and
/// "op:N".
QString activityPage(const Run& run, ActivityId activity);

}  // namespace hw
