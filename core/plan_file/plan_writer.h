#pragma once

#include <ostream>

#include "core/run/run.h"

namespace hw {

/// Plan JSON (docs/formats/plan.md). Equal runs give equal bytes.
void writePlanJson(const Run& run, std::ostream& out);

/// The same, but the tables of a search say also when it found what: differs from run to run.
void writeTimedPlanJson(const Run& run, std::ostream& out);

/// The planned problem in MiniMalloc's CSV form with an `offset` column: one row a buffer, exact
/// sizes. Columns `alignment`, `gaps` and `pool` appear when some row needs them.
void writePlanCsv(const Run& run, std::ostream& out);

}  // namespace hw
