#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw::shapes {

OutputFacts elsewhere(const OpFacts&) { return {}; }

OutputFacts sameAsFirst(const OpFacts& facts) { return like(facts, 0); }

OutputFacts sameAsFirstFloat(const OpFacts& facts) {
  return retyped(like(facts, 0), Dtype::float32);
}

OutputFacts sameAsFirstBoolean(const OpFacts& facts) {
  return retyped(like(facts, 0), Dtype::boolean);
}

OutputFacts sameAsSecond(const OpFacts& facts) { return like(facts, 1); }

/// All inputs broadcast together; the element type is that of the first.
OutputFacts broadcastAll(const OpFacts& facts) {
  std::optional<Shape> shape = Shape();
  for (std::size_t i = 0; i < facts.inputs.size() && shape; ++i) {
    if (facts.shape(i) == nullptr) return {};
    shape = broadcast(*shape, *facts.shape(i));
  }
  return maybe(facts.dtype(0), shape);
}

OutputFacts where(const OpFacts& facts) { return retyped(broadcastAll(facts), facts.dtype(1)); }

OutputFacts compare(const OpFacts& facts) { return retyped(broadcastAll(facts), Dtype::boolean); }

OutputFacts cast(const OpFacts& facts) {
  return retyped(like(facts, 0), dtypeOfElement(facts.op.intAttribute("to", 0)));
}

OutputFacts castLike(const OpFacts& facts) { return retyped(like(facts, 0), facts.dtype(1)); }

/// The result has the type of the zero point, of `output_dtype`, or is uint8.
OutputFacts quantize(const OpFacts& facts) {
  const Dtype wanted = dtypeOfElement(facts.op.intAttribute("output_dtype", 0));
  return retyped(like(facts, 0), facts.has(2)               ? facts.dtype(2)
                                 : wanted != Dtype::unknown ? wanted
                                                            : Dtype::uint8);
}

/// The result has the type that `output_dtype` names, of the scale, or is float32.
OutputFacts dequantize(const OpFacts& facts) {
  const Dtype wanted = dtypeOfElement(facts.op.intAttribute("output_dtype", 0));
  const Dtype scale = facts.dtype(1);
  return retyped(like(facts, 0), wanted != Dtype::unknown  ? wanted
                                 : scale != Dtype::unknown ? scale
                                                           : Dtype::float32);
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

OutputFacts sizeOf(const OpFacts& facts) {
  const auto values = evaluateSmall(facts);
  return values.empty() ? OutputFacts() : one(Dtype::int64, values[0].shape);
}

/// Reductions: axes are an attribute in old opsets, an input in new ones, all when not given.
OutputFacts reduce(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto axes = facts.integers(1, "axes");
  if (input == nullptr || !axes) return {};
  if (axes->empty() && facts.op.intAttribute("noop_with_empty_axes", 0) != 0) return like(facts, 0);
  const auto folded = axisSet(*axes, input->size());
  if (!folded) return {};
  const bool keeps = facts.op.intAttribute("keepdims", 1) != 0;
  Shape shape;
  for (std::size_t i = 0; i < input->size(); ++i) {
    const bool goes = axes->empty() || (*folded)[i];
    if (!goes) shape.push_back((*input)[i]);
    if (goes && keeps) shape.push_back(1);
  }
  return one(facts.dtype(0), shape);
}

/// ArgMax and ArgMin: one axis goes, or becomes 1; the result counts.
OutputFacts argReduce(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto given = facts.integer(1, "axis", 0);
  const auto axis = input != nullptr && given ? normalAxis(*given, input->size()) : std::nullopt;
  if (!axis) return {};
  const bool keeps = facts.op.intAttribute("keepdims", 1) != 0;
  return one(Dtype::int64, spliced(*input, *axis, 1, keeps ? Shape{1} : Shape()));
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
  const auto axis = facts.axis(1, shape.size());
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

/// Inputs 0 and 1 together; what follows are factors and offsets.
OutputFacts firstTwo(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(1) == nullptr) return {};
  return maybe(facts.dtype(0), broadcast(*facts.shape(0), *facts.shape(1)));
}

/// MulInteger: (A, zero point, B, zero point).
OutputFacts integerPair(const OpFacts& facts) {
  if (facts.shape(0) == nullptr || facts.shape(2) == nullptr) return {};
  return maybe(Dtype::int32, broadcast(*facts.shape(0), *facts.shape(2)));
}

/// QLinearWhere: condition, then X and Y at 1 and 4 with a scale and a zero point each.
OutputFacts quantizedWhere(const OpFacts& facts) {
  std::optional<Shape> shape = Shape();
  for (const std::size_t input : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    if (facts.shape(input) == nullptr || !shape) return {};
    shape = broadcast(*shape, *facts.shape(input));
  }
  return maybe(facts.dtype(1), shape);
}

/// Reductions whose axes are an attribute; what follows the data are scales.
OutputFacts quantizedReduce(const OpFacts& facts) {
  OpFacts bare = onOther(facts, facts.op);
  bare.inputs.resize(std::min<std::size_t>(bare.inputs.size(), 1));
  return reduce(bare);
}
OutputFacts wideReduce(const OpFacts& facts) {
  const bool isUnsigned = facts.dtype(0) == Dtype::uint8;
  return retyped(quantizedReduce(facts), isUnsigned ? Dtype::uint32 : Dtype::int32);
}

}  // namespace hw::shapes
