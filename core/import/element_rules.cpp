#include <algorithm>

#include "core/import/shape_rules.h"

namespace hw {
namespace {

OutputFacts sameAsFirst(const OpFacts& facts) { return like(facts, 0); }

OutputFacts sameAsFirstFloat(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty()) outputs[0].dtype = Dtype::float32;
  return outputs;
}

OutputFacts sameAsFirstBoolean(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty()) outputs[0].dtype = Dtype::boolean;
  return outputs;
}

/// All inputs broadcast together; the element type is that of the first.
OutputFacts broadcastAll(const OpFacts& facts) {
  std::optional<Shape> shape = Shape();
  for (std::size_t i = 0; i < facts.inputs.size() && shape; ++i) {
    if (facts.shape(i) == nullptr) return {};
    shape = broadcast(*shape, *facts.shape(i));
  }
  return maybe(facts.dtype(0), shape);
}

OutputFacts where(const OpFacts& facts) {
  OutputFacts outputs = broadcastAll(facts);
  if (!outputs.empty()) outputs[0].dtype = facts.dtype(1);
  return outputs;
}

OutputFacts cast(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty()) outputs[0].dtype = dtypeOfElement(facts.op.intAttribute("to", 0));
  return outputs;
}

OutputFacts castLike(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (!outputs.empty()) outputs[0].dtype = facts.dtype(1);
  return outputs;
}

/// The result has the type of the zero point, of `output_dtype`, or is uint8.
OutputFacts quantize(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty()) return outputs;
  const Dtype wanted = dtypeOfElement(facts.op.intAttribute("output_dtype", 0));
  outputs[0].dtype = facts.has(2)               ? facts.dtype(2)
                     : wanted != Dtype::unknown ? wanted
                                                : Dtype::uint8;
  return outputs;
}

OutputFacts dequantize(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const Dtype scale = facts.dtype(1);
  if (!outputs.empty()) outputs[0].dtype = scale != Dtype::unknown ? scale : Dtype::float32;
  return outputs;
}

/// The numbers as uint8, then a scale and a zero point for all of them.
OutputFacts dynamicQuantize(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty()) return outputs;
  outputs[0].dtype = Dtype::uint8;
  outputs.push_back({Dtype::float32, Shape()});
  outputs.push_back({Dtype::uint8, Shape()});
  return outputs;
}

OutputFacts shapeOf(const OpFacts& facts) {
  const auto values = evaluateSmall(facts);
  return values.empty() ? OutputFacts() : one(Dtype::int64, values[0].shape);
}

/// Reductions: axes are an attribute in old opsets, an input in new ones, all when not given.
OutputFacts reduce(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axes = facts.integers(1, "axes");
  if (input == nullptr || !axes) return {};
  if (axes->empty() && facts.op.intAttribute("noop_with_empty_axes", 0) != 0) return like(facts, 0);
  std::vector<bool> folded(input->size(), axes->empty());
  for (const std::int64_t given : *axes) {
    const auto axis = normalAxis(given, input->size());
    if (!axis) return {};
    folded[*axis] = true;
  }
  const bool keeps = facts.op.intAttribute("keepdims", 1) != 0;
  Shape shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    if (!folded[i]) shape.push_back((*input)[i]);
    if (folded[i] && keeps) shape.push_back(1);
  }
  return one(facts.dtype(0), shape);
}

/// ArgMax and ArgMin: one axis goes, or becomes 1; the result counts.
OutputFacts argReduce(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (input == nullptr) return {};
  const auto axis = normalAxis(facts.op.intAttribute("axis", 0), input->size());
  if (!axis) return {};
  Shape shape = *input;
  shape[*axis] = 1;
  if (facts.op.intAttribute("keepdims", 1) == 0) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return one(Dtype::int64, shape);
}

OutputFacts compare(const OpFacts& facts) {
  OutputFacts outputs = broadcastAll(facts);
  if (!outputs.empty()) outputs[0].dtype = Dtype::boolean;
  return outputs;
}

/// The mask has the type of the data up to opset 9 and is boolean from opset 10.
OutputFacts dropout(const OpFacts& facts) {
  constexpr std::int64_t kFirstBoolean = 10;
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty()) return outputs;
  outputs.push_back(outputs[0]);
  if (facts.opset >= kFirstBoolean) outputs[1].dtype = Dtype::boolean;
  return outputs;
}

/// Crop of ONNX 1.0 (experimental): border is left, top, right, bottom; scale is height, width.
OutputFacts crop(const OpFacts& facts) {
  const auto border = facts.op.intsAttribute("border");
  const auto scale = facts.op.intsAttribute("scale");
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() != 4 || border.size() != 4) return {};
  Shape& shape = *outputs[0].shape;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto both = checkedAdd(border[1 - axis], border[3 - axis]);
    const std::int64_t rest = both ? shape[axis + 2] - std::max<std::int64_t>(*both, 0) : -1;
    shape[axis + 2] = scale.size() == 2 ? scale[axis] : rest;
    if (shape[axis + 2] < 0) return {};
  }
  return outputs;
}

/// ONNX Runtime's quantised sum and product: (A, scale, zero, B, scale, zero, scale, zero).
OutputFacts quantizedPair(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(3) == nullptr) return {};
  return maybe(facts.dtype(0), broadcast(*facts.shape(0), *facts.shape(3)));
}

/// ONNX Runtime's quantised Concat: (scale, zero point, then tensor, scale, zero point each).
OutputFacts quantizedConcat(const OpFacts& facts) {
  if (facts.shape(2) == nullptr) return {};
  Shape shape = *facts.shape(2);
  const auto axis = normalAxis(facts.op.intAttribute("axis", 1), shape.size());
  if (!axis) return {};
  for (std::size_t i = 5; i < facts.inputs.size(); i += 3) {
    const Shape* part = facts.shape(i);
    const bool fits = part != nullptr && part->size() == shape.size();
    const auto sum = fits ? checkedAdd(shape[*axis], (*part)[*axis]) : std::nullopt;
    if (!sum) return {};
    shape[*axis] = *sum;
  }
  return one(facts.dtype(2), shape);
}

constexpr std::array kElements = {
    ShapeRule{ShapeKind::sameAsFirst, &sameAsFirst},
    ShapeRule{ShapeKind::sameAsFirstFloat, &sameAsFirstFloat},
    ShapeRule{ShapeKind::sameAsFirstBoolean, &sameAsFirstBoolean},
    ShapeRule{ShapeKind::broadcast, &broadcastAll},
    ShapeRule{ShapeKind::compare, &compare},
    ShapeRule{ShapeKind::where, &where},
    ShapeRule{ShapeKind::cast, &cast},
    ShapeRule{ShapeKind::castLike, &castLike},
    ShapeRule{ShapeKind::quantize, &quantize},
    ShapeRule{ShapeKind::dequantize, &dequantize},
    ShapeRule{ShapeKind::dynamicQuantize, &dynamicQuantize},
    ShapeRule{ShapeKind::quantizedPair, &quantizedPair},
    ShapeRule{ShapeKind::quantizedConcat, &quantizedConcat},
    ShapeRule{ShapeKind::reduce, &reduce},
    ShapeRule{ShapeKind::argReduce, &argReduce},
    ShapeRule{ShapeKind::sizeOf, &shapeOf},
    ShapeRule{ShapeKind::dropout, &dropout},
    ShapeRule{ShapeKind::crop, &crop},
};

}  // namespace

std::span<const ShapeRule> elementRules() { return kElements; }

}  // namespace hw
