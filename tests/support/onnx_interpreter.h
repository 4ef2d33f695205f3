#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace hw::test {

/// A tensor of floats, row-major. Lists of integers are such tensors, too.
struct FloatTensor {
  std::vector<std::int64_t> shape{};
  std::vector<float> data{};
};
using FloatTensors = std::map<std::string, FloatTensor>;

/// Thrown for what the interpreter does not know, or shapes that do not fit.
struct OnnxTrouble : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs a model of ONNX on these inputs, from the operators' specification alone: no code of core,
/// one sum after the other in the order of channels, rows and columns. All tensors by name, weights
/// included. Knows convolutions, pools, what networks of images do element by element, Concat,
/// Slice, Resize to the nearest, Reshape, Transpose, Softmax and Flatten; images have four axes.
FloatTensors runOnnx(const onnx::ModelProto& model, const FloatTensors& inputs);

}  // namespace hw::test
