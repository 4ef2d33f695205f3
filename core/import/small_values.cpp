#include <algorithm>
#include <array>

#include "core/import/evaluators.h"

namespace hw {
namespace {

const Evaluator* findEvaluator(std::string_view type) {
  for (const auto evaluators :
       {arithmeticEvaluators(), movementEvaluators(), selectionEvaluators()}) {
    const auto found = std::ranges::find(evaluators, type, &Evaluator::type);
    if (found != evaluators.end()) return &*found;
  }
  return nullptr;
}

/// Fits the declared element type, so that nothing wraps around silently.
bool isInRange(const SmallValue& value) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const int bits = dtypeBits(value.dtype);
  if (value.isReal()) return std::ranges::all_of(value.reals, [](double x) { return x == x; });
  if (value.dtype == Dtype::boolean) return true;
  const bool isSigned = value.dtype == Dtype::int8 || value.dtype == Dtype::int16 ||
                        value.dtype == Dtype::int32 || value.dtype == Dtype::int64 ||
                        value.dtype == Dtype::int4;
  if (!isSigned) least = 0;
  if (bits > 0 && bits < 64) {
    most = (std::int64_t{1} << (isSigned ? bits - 1 : bits)) - 1;
    if (isSigned) least = -most - 1;
  }
  return std::ranges::all_of(value.integers, [&](auto x) { return least <= x && x <= most; });
}

}  // namespace

bool evaluatesSmall(std::string_view type) { return findEvaluator(type) != nullptr; }

std::vector<SmallValue> evaluateSmall(const OpFacts& facts) {
  const Evaluator* evaluator = facts.op.domain.empty() ? findEvaluator(facts.op.type) : nullptr;
  if (evaluator == nullptr) return {};
  const bool known = std::ranges::all_of(
      facts.inputs, [](const auto& input) { return !input.present || input.value != nullptr; });
  if (evaluator->needsValues && !known) return {};
  for (std::size_t i = 0; evaluator->needsValues && i < evaluator->operands; ++i) {
    if (facts.value(i) == nullptr) return {};  // Left out, though the op cannot do without.
  }
  SmallValues values = evaluator->evaluate(facts);
  if (!std::ranges::all_of(values, isInRange)) return {};
  return values;
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

std::optional<std::size_t> normalAxis(std::int64_t axis, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
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
  std::vector<std::int64_t> everyAxis(starts->size());
  for (std::size_t i = 0; i < everyAxis.size(); ++i) everyAxis[i] = static_cast<std::int64_t>(i);
  const auto axes = facts.integers(3, "axes", everyAxis);
  const auto steps = facts.integers(4, "", std::vector<std::int64_t>(starts->size(), 1));
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

}  // namespace hw
