#pragma once

#include <memory>

#include "core/import/op_facts.h"

namespace hw {

// How TFLite operators shape their outputs. The facts hold the operator under its TFLite name, with
// its options as attributes; images are NHWC.

/// Shapes of the outputs, their types left open; empty where there is no rule, or it cannot tell.
std::vector<TensorFacts> inferTflite(const OpFacts& facts);

/// The elements of the outputs, for the operators that shapes are computed with; else empty.
std::vector<SmallValue> evaluateTflite(const OpFacts& facts);

/// The elements of a stored tensor; nothing when it is large, or of a type shapes are not made of.
std::shared_ptr<const SmallValue> tfliteValue(Dtype dtype, const Shape& shape,
                                              std::string_view bytes);

}  // namespace hw
