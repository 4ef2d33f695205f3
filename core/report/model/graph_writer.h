#pragma once

#include <ostream>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// Graph JSON (docs/formats/graph_json.md) that reads back as the same graph: the same tensors,
/// sizes, ops and order. Names that do not identify become name#tN (see TensorNames).
void writeGraphJson(const Graph& graph, std::ostream& out);

}  // namespace hw
