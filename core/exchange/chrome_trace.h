#pragma once

#include <ostream>

#include "core/run/run.h"

namespace hw {

/// A simulated run as the JSON of Chrome's trace events, for viewers of traces: Perfetto,
/// chrome://tracing, Speedscope (docs/formats/traces.md). Times are exact. The steps of a planning
/// problem, which take no time, are drawn as microseconds. O(n log n).
void writeChromeTrace(const Run& run, std::ostream& out);

}  // namespace hw
