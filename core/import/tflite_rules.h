#pragma once

#include <memory>
#include <span>

#include "core/import/op_facts.h"

namespace hw {

// How TFLite operators shape their outputs. The facts hold the operator under its TFLite name, with
// its options as attributes; images are NHWC. The types of outputs are the file's to tell.

using TfliteOutputs = std::vector<std::optional<Shape>>;

/// How one operator shapes its outputs; empty when it cannot tell. To teach us a new one, add a row
/// to one of the tables below.
struct TfliteRule {
  std::string_view type;
  TfliteOutputs (*infer)(const OpFacts& facts);
};

/// Operators that compute element by element, reduce, multiply or remember.
std::span<const TfliteRule> tfliteElementRules();
/// Operators with a window that moves over an image, or that resize one.
std::span<const TfliteRule> tfliteImageRules();
/// Operators that rearrange, cut and join.
std::span<const TfliteRule> tfliteLayoutRules();

/// Shapes of the outputs; empty where there is no rule, or it cannot tell.
TfliteOutputs inferTflite(const OpFacts& facts);

/// True for the operators that `inferTflite` has a rule for.
bool hasTfliteRule(std::string_view type);

/// The elements of the outputs, for the operators that shapes are computed with; else empty.
std::vector<SmallValue> evaluateTflite(const OpFacts& facts);

/// True for the operators that `evaluateTflite` computes.
bool evaluatesTflite(std::string_view type);

/// The elements of a stored tensor; nothing when it is large, or of a type shapes are not made of.
std::shared_ptr<const SmallValue> tfliteValue(Dtype dtype, const Shape& shape,
                                              std::string_view bytes);

/// Where STRIDED_SLICE cuts each axis of its input, and which axes of the result are new or gone.
struct StridedCut {
  std::vector<SliceRange> ranges{};  ///< By axis of the input.
  Shape shape{};                     ///< Of the output.
};
std::optional<StridedCut> stridedCut(const OpFacts& facts);

/// The integers of an input; nothing when they are not known.
std::optional<std::vector<std::int64_t>> integersOf(const OpFacts& facts, std::size_t input);

/// One output, if there is a shape.
inline TfliteOutputs single(std::optional<Shape> shape) {
  return shape ? TfliteOutputs{std::move(shape)} : TfliteOutputs();
}

}  // namespace hw
