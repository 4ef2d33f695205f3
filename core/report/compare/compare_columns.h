#pragma once

#include "core/base/columns.h"
#include "core/study/compare.h"

namespace hw {

/// What a run amounts to: every table, file and view that shows figures takes them from here.
const Columns<RunFigures>& figureColumns();

/// The same of a row of a comparison, after what was planned and before why it came to nothing.
const Columns<ComparisonRow>& comparisonColumns();

/// What it says besides model and allocator, as options of the command line; empty: all as by
/// default.
std::string optionsText(const RunRequest& request);

/// The status of the row's plan; "stopped" or "failed" for a row without one.
std::string comparisonStatus(const ComparisonRow& row);

}  // namespace hw
