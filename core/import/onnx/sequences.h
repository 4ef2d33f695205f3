#pragma once

#include <vector>

#include "core/import/onnx/inference.h"

namespace hw {

/// Knowledge about the outputs of ops on sequences and optional values: what goes in, what comes
/// out again, and how large it is as long as the tensors of a sequence are known one by one. Also
/// of constants that are no plain tensors. Empty for all other ops, and where nothing can be said.
/// Of a sequence longer than `left` only what its tensors have in common is worked out.
std::vector<Knowledge> inferSequences(const onnx::NodeProto& node,
                                      const std::vector<const Knowledge*>& inputs,
                                      std::int64_t left);

}  // namespace hw
