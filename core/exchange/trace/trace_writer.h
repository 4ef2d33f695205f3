#pragma once

#include <ostream>

#include "core/run/run.h"

namespace hw {

/// A simulated run for viewers of traces: docs/formats/traces.md. Both take runs of planning
/// problems, too, whose steps are drawn as microseconds.
///
/// The JSON of Chrome's trace events: chrome://tracing, Perfetto, Speedscope. Times are exact.
void writeChromeTrace(const Run& run, std::ostream& out);

/// Perfetto's own format, a protobuf: times are whole nanoseconds, and exact in the notes.
void writePerfettoTrace(const Run& run, std::ostream& out);

}  // namespace hw
