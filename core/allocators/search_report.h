#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan/method_table.h"
#include "core/solver/exact/exact.h"

namespace hw {

/// The column of a method table that holds wall time.
inline constexpr std::string_view kWallTimeColumn = "microseconds";

/// How the search in one pool went, as a table of the plan: "progress POOL", one row for every
/// change of incumbent or bound, and one for the end. What charts and JSON are made of.
MethodTable progressTable(const std::vector<ExactProgress>& history, const std::string& pool);

/// Where a search stands, in one line for people.
std::string progressText(const ExactProgress& now);

}  // namespace hw
