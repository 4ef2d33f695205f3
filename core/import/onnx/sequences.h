#pragma once

#include <vector>

#include "core/import/onnx/inference.h"

namespace hw {

/// Knowledge about the outputs of ops on sequences and optional values: what goes in, what comes
/// out again, and how large it is as long as the tensors of a sequence are known one by one. Also
/// of constants that are no plain tensors. Empty for all other ops, and where nothing can be said.
std::vector<Knowledge> inferSequences(const onnx::NodeProto& node,
                                      const std::vector<const Knowledge*>& inputs);

}  // namespace hw
