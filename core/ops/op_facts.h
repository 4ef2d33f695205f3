#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/ops/small_value.h"

namespace hw {

/// Element type and shape of a tensor, as far as they are known.
struct TensorFacts {
  Dtype dtype = Dtype::unknown;
  std::optional<Shape> shape{};
};

/// Facts about one op before it runs, in ONNX terms and free of any file format.
struct OpFacts {
  struct Input {
    bool present = false;  ///< False for an optional input left out.
    TensorFacts facts{};
    const SmallValue* value = nullptr;  ///< Its elements, where they are known.
  };

  const Op& op;  ///< Type, domain and attributes; its tensors are not set.
  std::int64_t opset = 0;
  std::vector<Input> inputs{};
  std::size_t outputCount = 0;
  const SmallValue* tensorAttribute = nullptr;  ///< The attribute `value`, where it is a tensor.

  bool has(std::size_t input) const { return input < inputs.size() && inputs[input].present; }
  /// Null when the input is absent or its shape unknown.
  const Shape* shape(std::size_t input) const {
    return has(input) && inputs[input].facts.shape ? &*inputs[input].facts.shape : nullptr;
  }
  const SmallValue* value(std::size_t input) const {
    return has(input) ? inputs[input].value : nullptr;
  }
  Dtype dtype(std::size_t input) const {
    return has(input) ? inputs[input].facts.dtype : Dtype::unknown;
  }
  /// The integers of an input, or of the attribute that older opsets used in its place; nothing
  /// when they are not known (an absent list is known to be absent: `otherwise`).
  std::optional<std::vector<std::int64_t>> integers(std::size_t input, const std::string& attribute,
                                                    std::vector<std::int64_t> otherwise = {}) const;
  /// One integer, likewise.
  std::optional<std::int64_t> integer(std::size_t input, const std::string& attribute,
                                      std::int64_t otherwise) const;
  /// The attribute `axis` counted from the front; nothing when it lies outside of `rank`.
  std::optional<std::size_t> axis(std::int64_t otherwise, std::size_t rank) const;
};

/// An output some of whose dimensions hang on the data itself.
struct OpenFacts {
  Dtype dtype = Dtype::unknown;
  Shape most{};                     ///< The most each can be; -n: no bound is known, n stands in.
  std::vector<std::size_t> open{};  ///< The axes that depend on data.
};

/// The elements of the op's outputs, for the ops that shapes are computed with; empty when they are
/// not known. Never more than SmallValue::kMostElements each.
std::vector<SmallValue> evaluateSmall(const OpFacts& facts);

/// Types and shapes of the op's outputs by our own rules; empty where we have none or cannot tell.
/// An output without facts has an unknown dtype and no shape.
std::vector<TensorFacts> inferByRule(const OpFacts& facts);

/// Upper bounds of the outputs of ops whose output sizes depend on data: NonZero, Compress, Unique,
/// TopK and the like. Empty for all others.
std::vector<OpenFacts> inferOpenOutputs(const OpFacts& facts);

/// The shape of output 0 by our own rules.
std::optional<Shape> shapeByRule(const OpFacts& facts);

/// `axis` counted from the front, for a tensor of `rank` dimensions; nothing when out of range.
std::optional<std::size_t> normalAxis(std::int64_t axis, std::size_t rank);

/// A flag for each of `rank` axes: whether the list names it; nothing when one is out of range.
std::optional<std::vector<bool>> axisSet(const std::vector<std::int64_t>& axes, std::size_t rank);

/// The input axis of each output axis of a Transpose; nothing when its order is not known or makes
/// no sense.
std::optional<std::vector<std::size_t>> axisOrder(const OpFacts& facts);

/// 0, 1, 2, … as many as `count`: all axes.
std::vector<std::int64_t> firstIntegers(std::size_t count);

/// `shape` with `count` dimensions from `axis` on replaced by others.
Shape spliced(const Shape& shape, std::size_t axis, std::size_t count, const Shape& others);

/// The common shape of two tensors after NumPy's broadcasting; nothing when they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// The shape that Reshape makes of `input`; nothing when `target` does not fit it.
std::optional<Shape> reshaped(const Shape& input, const std::vector<std::int64_t>& target,
                              bool zeroCopies);

/// One axis cut by Slice.
struct SliceRange {
  std::int64_t begin = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

/// The range of each axis of `shape` that a Slice keeps; nothing when its operands are not known or
/// make no sense.
std::optional<std::vector<SliceRange>> sliceRanges(const OpFacts& facts, const Shape& shape);

/// Calls `visit(index)` for each multi-index of `shape` in row-major order.
void forEachIndex(const Shape& shape, const std::function<void(const Shape&)>& visit);

/// The row-major position of `index` in a tensor of `shape` that is broadcast to it: leading
/// dimensions it lacks and those of size 1 do not count.
std::size_t positionIn(const Shape& shape, const Shape& index);

/// `value` as another type; empty where an element does not fit it.
std::vector<SmallValue> castTo(const SmallValue& value, Dtype dtype);

/// The Dtype of ONNX's TensorProto.DataType number.
Dtype dtypeOfElement(std::int64_t elementType);

}  // namespace hw
