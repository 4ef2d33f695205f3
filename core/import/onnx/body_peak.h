#pragma once

#include <onnx/onnx_pb.h>

#include "core/import/onnx/inference.h"

namespace hw {

/// Most bytes that the values made inside a body need at once, bodies within it included; what has
/// no known size counts as nothing. For telling which of two branches is the larger.
std::int64_t bodyPeak(const onnx::GraphProto& body, const Scope& scope,
                      const ShapeInference& inference);

}  // namespace hw
