#include "core/ops/op_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/ops/op_rules.h"

namespace hw {
namespace {

/// Fits the declared element type, so that nothing wraps around silently.
bool isInRange(const SmallValue& value) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const int bits = dtypeBits(value.dtype);
  if (value.isReal()) return std::ranges::all_of(value.reals, [](double x) { return x == x; });
  if (value.dtype == Dtype::boolean) return true;
  const bool isSigned = value.dtype == Dtype::int8 || value.dtype == Dtype::int16 ||
                        value.dtype == Dtype::int32 || value.dtype == Dtype::int64 ||
                        value.dtype == Dtype::int4 || value.dtype == Dtype::int2;
  if (!isSigned) least = 0;
  if (bits > 0 && bits < 64) {
    most = (std::int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
    if (isSigned) least = -most - 1;
  }
  return std::ranges::all_of(value.integers, [&](auto x) { return least <= x && x <= most; });
}

/// No tensor may be larger than what the rest of the program can add up.
bool isSane(const TensorFacts& facts) {
  if (!facts.shape) return true;
  const auto count = elementCount(*facts.shape);
  return count && *count <= kMaxBytes.count() &&
         std::ranges::none_of(*facts.shape, [](auto size) { return size < 0; });
}

}  // namespace

std::vector<SmallValue> evaluateSmall(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  if (info == nullptr || info->evaluate == nullptr) return {};
  const auto isKnown = [](const auto& input) { return !input.present || input.value != nullptr; };
  if (info->operands >= 0 && !std::ranges::all_of(facts.inputs, isKnown)) return {};
  for (int i = 0; i < info->operands; ++i) {
    // Left out, though the op cannot do without.
    if (facts.value(static_cast<std::size_t>(i)) == nullptr) return {};
  }
  SmallValues values = info->evaluate(facts);
  return std::ranges::all_of(values, isInRange) ? values : SmallValues();
}

std::vector<TensorFacts> inferByRule(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  if (info == nullptr || info->shape == nullptr) return {};
  OutputFacts outputs = info->shape(facts);
  if (outputs.size() > facts.outputCount) outputs.resize(facts.outputCount);
  return std::ranges::all_of(outputs, isSane) ? outputs : OutputFacts();
}

std::vector<OpenFacts> inferOpenOutputs(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  return info != nullptr && info->open != nullptr ? info->open(facts) : OpenOutputs();
}

std::optional<Shape> shapeByRule(const OpFacts& facts) {
  const OutputFacts outputs = inferByRule(facts);
  return outputs.empty() ? std::nullopt : outputs[0].shape;
}

std::vector<SmallValue> castTo(const SmallValue& input, Dtype dtype) {
  SmallValue result{.dtype = dtype, .shape = input.shape};
  if (dtypeBits(dtype) == 0 || dtype == Dtype::float8 || dtype == Dtype::float4 ||
      dtype == Dtype::complex64 || dtype == Dtype::complex128) {
    return {};
  }
  constexpr double kLimit = 9.2e18;  // Below 2^63: beyond it the cast has no defined result.
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (result.isReal()) {
      result.reals.push_back(roundedTo(result.dtype, input.real(i)));
      continue;
    }
    if (input.isReal() && !(std::abs(input.reals[i]) < kLimit)) return {};
    const std::int64_t whole =
        input.isReal() ? static_cast<std::int64_t>(input.reals[i]) : input.integers[i];
    const bool isTrue = input.isReal() ? input.reals[i] != 0 : whole != 0;
    result.integers.push_back(result.dtype == Dtype::boolean ? isTrue : whole);
  }
  return isInRange(result) ? SmallValues{result} : SmallValues();
}

void forEachIndex(const Shape& shape, const std::function<void(const Shape&)>& visit) {
  const auto count = elementCount(shape);
  if (!count || *count == 0) return;
  Shape index(shape.size(), 0);
  for (;;) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

std::size_t positionIn(const Shape& shape, const Shape& index) {
  const std::size_t missing = index.size() - shape.size();
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::int64_t at = shape[axis] == 1 ? 0 : index[axis + missing];
    position = position * shape[axis] + at;
  }
  return static_cast<std::size_t>(position);
}

std::optional<std::vector<std::int64_t>> OpFacts::integers(
    std::size_t input, const std::string& attribute, std::vector<std::int64_t> otherwise) const {
  if (has(input)) {
    const SmallValue* known = inputs[input].value;
    if (known == nullptr || known->isReal()) return std::nullopt;
    return known->integers;
  }
  if (attribute.empty() || !op.attributes.contains(attribute)) return otherwise;
  return op.intsAttribute(attribute);
}

std::optional<std::int64_t> OpFacts::integer(std::size_t input, const std::string& attribute,
                                             std::int64_t otherwise) const {
  if (!has(input)) return op.intAttribute(attribute, otherwise);
  return value(input) != nullptr ? value(input)->single() : std::nullopt;
}

std::optional<std::size_t> OpFacts::axis(std::int64_t otherwise, std::size_t rank) const {
  return normalAxis(op.intAttribute("axis", otherwise), rank);
}

std::optional<std::size_t> normalAxis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::optional<std::vector<bool>> axisSet(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<bool> set(rank);
  for (const std::int64_t given : axes) {
    const auto axis = normalAxis(given, rank);
    if (!axis) return std::nullopt;
    set[*axis] = true;
  }
  return set;
}

std::optional<std::vector<std::size_t>> axisOrder(const OpFacts& facts) {
  auto given = facts.integers(1, "perm");
  if (facts.shape(0) == nullptr || !given) return std::nullopt;
  const std::size_t rank = facts.shape(0)->size();
  if (given->empty()) {
    *given = firstIntegers(rank);
    std::ranges::reverse(*given);
  }
  const auto used = axisSet(*given, rank);
  if (!used || given->size() != rank || !std::ranges::all_of(*used, std::identity())) {
    return std::nullopt;
  }
  std::vector<std::size_t> order;
  for (const std::int64_t axis : *given) order.push_back(*normalAxis(axis, rank));
  return order;
}

std::vector<std::int64_t> firstIntegers(std::size_t count) {
  std::vector<std::int64_t> integers(count);
  std::iota(integers.begin(), integers.end(), std::int64_t{0});
  return integers;
}

Shape spliced(const Shape& shape, std::size_t axis, std::size_t count, const Shape& others) {
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  Shape result(shape.begin(), at);
  result.insert(result.end(), others.begin(), others.end());
  result.insert(result.end(), at + static_cast<std::ptrdiff_t>(count), shape.end());
  return result;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t fromA = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t fromB = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (fromA != fromB && fromA != 1 && fromB != 1) return std::nullopt;
    result[result.size() - 1 - i] = fromA == 1 ? fromB : fromA;
  }
  return result;
}

std::optional<Shape> reshaped(const Shape& input, const std::vector<std::int64_t>& target,
                              bool zeroCopies) {
  const auto total = elementCount(input);
  Shape shape = target;
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0 && zeroCopies) {
      if (axis >= input.size()) return std::nullopt;
      shape[axis] = input[axis];
    }
    if (shape[axis] == -1) {
      if (open) return std::nullopt;
      open = axis;
      continue;
    }
    const auto product = checkedMul(known, shape[axis]);
    if (shape[axis] < 0 || !product) return std::nullopt;
    known = *product;
  }
  if (!total) return std::nullopt;
  if (!open) return known == *total ? std::optional(shape) : std::nullopt;
  if (known == 0 || *total % known != 0) return std::nullopt;
  shape[*open] = *total / known;
  return shape;
}

std::optional<std::vector<SliceRange>> sliceRanges(const OpFacts& facts, const Shape& shape) {
  const auto starts = facts.integers(1, "starts");
  const auto ends = facts.integers(2, "ends");
  if (!starts || !ends || starts->size() != ends->size()) return std::nullopt;
  const auto axes = facts.integers(3, "axes", firstIntegers(starts->size()));
  const auto steps = facts.integers(4, "steps", std::vector<std::int64_t>(starts->size(), 1));
  if (!axes || !steps || axes->size() != starts->size() || steps->size() != starts->size()) {
    return std::nullopt;
  }
  std::vector<SliceRange> ranges;
  for (const std::int64_t size : shape) ranges.push_back({0, 1, size});
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const auto axis = normalAxis((*axes)[i], shape.size());
    const std::int64_t step = (*steps)[i];
    if (!axis || step == 0) return std::nullopt;
    const std::int64_t size = shape[*axis];
    const auto clamp = [&](std::int64_t at, std::int64_t least, std::int64_t most) {
      if (at < 0) at += size;
      return std::clamp(at, least, most);
    };
    // Backwards a slice starts at the last element at most and ends before the first at least.
    const std::int64_t begin = step > 0
                                   ? clamp((*starts)[i], 0, size)
                                   : clamp((*starts)[i], 0, std::max<std::int64_t>(size - 1, 0));
    const std::int64_t end =
        step > 0 ? clamp((*ends)[i], 0, size) : clamp((*ends)[i], -1, size - 1);
    const std::int64_t way = step > 0 ? end - begin : begin - end;
    // Unsigned: the step may be the least integer, whose negative does not exist.
    const auto stride = step > 0 ? static_cast<std::uint64_t>(step)
                                 : std::uint64_t{0} - static_cast<std::uint64_t>(step);
    const auto count =
        way <= 0 || size == 0 ? 0 : (static_cast<std::uint64_t>(way) - 1) / stride + 1;
    ranges[*axis] = {begin, step, static_cast<std::int64_t>(count)};
  }
  return ranges;
}

OutputFacts like(const OpFacts& facts, std::size_t input) {
  if (facts.shape(input) == nullptr) return {};
  return one(facts.dtype(input), *facts.shape(input));
}

OutputFacts retyped(OutputFacts outputs, Dtype dtype) {
  if (!outputs.empty()) outputs[0].dtype = dtype;
  return outputs;
}

Dtype typeNamed(const OpFacts& facts, const char* name, Dtype otherwise) {
  const Dtype wanted = dtypeOfElement(facts.op.intAttribute(name, 0));
  return wanted != Dtype::unknown ? wanted : otherwise;
}

std::optional<std::int64_t> sizeNamed(const OpFacts& facts, const char* name) {
  const std::int64_t size = facts.op.intAttribute(name, -1);
  return size < 0 ? std::nullopt : std::optional(size);
}

OutputFacts withWidth(const OpFacts& facts, std::optional<std::int64_t> width) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->empty() || !width || *width < 0) return {};
  outputs[0].shape->back() = *width;
  return outputs;
}

OpFacts onOther(const OpFacts& facts, const Op& op) {
  return {.op = op, .opset = facts.opset, .inputs = facts.inputs, .outputCount = facts.outputCount};
}

std::optional<Shape> matrixProduct(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  // A vector counts as one row on the left, one column on the right, and is taken away again.
  const Shape left = a.size() == 1 ? Shape{1, a[0]} : a;
  const Shape right = b.size() == 1 ? Shape{b[0], 1} : b;
  if (left.back() != right[right.size() - 2]) return std::nullopt;
  auto shape = broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
  if (!shape) return std::nullopt;
  if (a.size() > 1) shape->push_back(left[left.size() - 2]);
  if (b.size() > 1) shape->push_back(right.back());
  return shape;
}

/// TensorProto.DataType, onnx.proto.
Dtype dtypeOfElement(std::int64_t elementType) {
  constexpr std::array kTypes = {
      Dtype::unknown,    Dtype::float32,  Dtype::uint8,  Dtype::int8,   Dtype::uint16,
      Dtype::int16,      Dtype::int32,    Dtype::int64,  Dtype::string, Dtype::boolean,
      Dtype::float16,    Dtype::float64,  Dtype::uint32, Dtype::uint64, Dtype::complex64,
      Dtype::complex128, Dtype::bfloat16, Dtype::float8, Dtype::float8, Dtype::float8,
      Dtype::float8,     Dtype::uint4,    Dtype::int4,   Dtype::float4, Dtype::float8,
      Dtype::uint2,      Dtype::int2};
  if (elementType < 0 || elementType >= static_cast<std::int64_t>(kTypes.size())) {
    return Dtype::unknown;
  }
  return kTypes[static_cast<std::size_t>(elementType)];
}

}  // namespace hw
