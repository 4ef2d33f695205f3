#pragma once

#include <onnx/onnx_pb.h>

#include "core/base/dice.h"
#include "tests/support/onnx_interpreter.h"

namespace hw::test {

/// A random network of images for the geometry of rows, with random weights: kernels, strides,
/// dilations, pads of all kinds, groups, pools, skip connections, channels that are joined,
/// constants with rows, repeated rows. A part of them of opset 9, where weights are inputs and cuts
/// have attributes.
onnx::ModelProto randomImageNetwork(std::uint64_t seed);

/// Random inputs of a model whose dimensions that are named have these sizes.
FloatTensors randomInputs(const onnx::ModelProto& model,
                          const std::map<std::string, std::int64_t>& dims, std::uint64_t seed);

/// Stored elements for weights without any, as stripped models of the corpus have them, and in
/// place of those that ConstantOfShape would make: normal numbers that keep activations in range.
void fillWeights(onnx::ModelProto& model, std::uint64_t seed);

}  // namespace hw::test
