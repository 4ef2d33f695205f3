#pragma once

#include "core/import/onnx/inference.h"

namespace hw {

/// The output of a Slice from a place that is not known to one that is so and so far from it, such
/// as `boxes[i:i+1]`; empty where nothing can be said. The slice is taken to lie inside of its
/// input.
std::vector<TensorFacts> sliceByTerms(const onnx::NodeProto& node, const OpFacts& facts,
                                      const Scope& scope);

}  // namespace hw
