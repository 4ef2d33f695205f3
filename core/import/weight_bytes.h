#pragma once

#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// Sets Tensor::weightRatio of the weights of a graph from CSV, `operator,bytes`: the bytes that
/// all weights of an operator take as they are stored for a machine, at least 1, its biases and
/// other lists not counted. An operator is a name, as commands show it, or a number in the order of
/// the model. Fails, with file and line, for names that no operator or several have, for operators
/// without weights of known size, and for weights of which two rows say different bytes.
Result<void> applyWeightBytes(const std::string& file, Graph& graph);

}  // namespace hw
