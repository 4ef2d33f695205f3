#pragma once

#include <ostream>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// Graph JSON (docs/formats/graph_json.md) that reads back as the same graph: the same tensors,
/// sizes, ops and order. Names that do not identify become name#tN (see TensorNames). `madeFrom` is
/// the SHA-256 of the file that the graph was made from, by which plans of that file know it;
/// empty: of none.
void writeGraphJson(const Graph& graph, std::ostream& out, const std::string& madeFrom = {});

}  // namespace hw
