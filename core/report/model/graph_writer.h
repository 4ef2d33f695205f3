#pragma once

#include <ostream>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/import/importer.h"

namespace hw {

/// Graph JSON (docs/formats/graph_json.md) that reads back as the same graph: the same tensors,
/// sizes, ops and order. Names that do not identify become name#tN (see TensorNames). `madeFrom` is
/// the SHA-256 of the file that the graph was made from, by which plans of that file know it;
/// empty: of none.
void writeGraphJson(const Graph& graph, std::ostream& out, const std::string& madeFrom = {});

/// The graph of a model, made from that model's file, with the rules about its tensors.
void writeGraphJson(const Model& model, std::ostream& out);

}  // namespace hw
