#pragma once

#include <vector>

#include "core/base/columns.h"
#include "core/graph/graph.h"

namespace hw {

/// What a profile says of each operator (core/import/measured/ort_profile.cpp).
Columns<OpId> measuredColumns(const Graph& graph);

/// The operators of a profile, those that wrote most first; empty where `graph` is none.
std::vector<OpId> measuredOperators(const Graph& graph);

}  // namespace hw
