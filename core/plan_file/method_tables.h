#pragma once

#include "core/base/json.h"
#include "core/run/run.h"

namespace hw {

/// What the method wrote down while it planned, as the `tables` of docs/formats/plan.md: an array
/// of {name, summary, columns, rows}, `rows` an array of arrays as long as `columns`. Buffers are
/// called by the names that the plan's placements use; counts and bytes are numbers. A table that
/// stopped at kMaxMethodRows says `"truncated": true`. Columns of wall time are left out unless
/// `times` asks for them: they differ from run to run.
Json methodTablesJson(const Run& run, bool times);

}  // namespace hw
