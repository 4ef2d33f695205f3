#pragma once

#include <ostream>

#include "core/run/run.h"

namespace hw {

/// What happened to memory and when ops ran, in time order: docs/formats/events.md.
enum class EventsFormat { csv, jsonLines };

void writeEvents(const Run& run, EventsFormat format, std::ostream& out);

}  // namespace hw
