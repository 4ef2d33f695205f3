#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw::values {
namespace {

/// One output whose elements are those of `input` in the order that `source` gives: it maps an
/// index of the output to one of the input.
template <class Source>
SmallValues moved(const SmallValue& input, const std::optional<Shape>& shape, Source source) {
  if (!shape || !isSmall(*shape)) return {};
  std::vector<std::size_t> from;
  forEachIndex(*shape,
               [&](const Shape& at) { from.push_back(positionIn(input.shape, source(at))); });
  return {input.pick(from, *shape)};
}

/// `index`, counted from the front, on an axis of `size`; nothing when it lies outside.
std::optional<std::int64_t> placeOn(std::int64_t size, std::int64_t index) {
  if (index < -size || index >= size) return std::nullopt;
  return index < 0 ? index + size : index;
}

}  // namespace

SmallValues identity(const OpFacts& facts) { return {*facts.value(0)}; }

SmallValues gather(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const SmallValue& indices = *facts.value(1);
  const auto axis = facts.axis(0, data.shape.size());
  if (!axis || indices.isReal() || facts.op.intAttribute("batch_dims", 0) != 0) return {};
  const std::int64_t size = data.shape[*axis];
  const auto lies = [&](std::int64_t index) { return placeOn(size, index).has_value(); };
  if (!std::ranges::all_of(indices.integers, lies)) return {};
  return moved(data, shapeByRule(facts), [&](const Shape& index) {
    const auto middle = index.begin() + static_cast<std::ptrdiff_t>(*axis);
    const auto after = middle + std::ssize(indices.shape);
    const std::int64_t at = indices.integers[positionIn(indices.shape, {middle, after})];
    return spliced(index, *axis, indices.shape.size(), {*placeOn(size, at)});
  });
}

SmallValues slice(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const auto ranges = sliceRanges(facts, data.shape);
  const auto shape = shapeByRule(facts);
  if (!ranges || !shape) return {};
  Shape walked;
  for (const SliceRange& range : *ranges) walked.push_back(range.count);
  SmallValues values = moved(data, walked, [&](Shape index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      index[axis] = (*ranges)[axis].begin + index[axis] * (*ranges)[axis].step;
    }
    return index;
  });
  for (SmallValue& value : values) value.shape = *shape;
  return values;
}

/// Lists, one behind the other: shapes are lists.
SmallValues concat(const OpFacts& facts) {
  SmallValue joined;
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const SmallValue* part = facts.value(i);
    if (part == nullptr || part->shape.size() > 1) return {};
    if (i == 0) joined.dtype = part->dtype;
    if (part->dtype != joined.dtype) return {};
    joined.integers.insert(joined.integers.end(), part->integers.begin(), part->integers.end());
    joined.reals.insert(joined.reals.end(), part->reals.begin(), part->reals.end());
  }
  joined.shape = {static_cast<std::int64_t>(joined.size())};
  return isSmall(joined.shape) ? SmallValues{joined} : SmallValues();
}

/// The shape rule knows the shape, the elements stay.
SmallValues reshapedByRule(const OpFacts& facts) {
  const auto shape = shapeByRule(facts);
  if (!shape) return {};
  SmallValue value = *facts.value(0);
  value.shape = *shape;
  return {value};
}

/// Scalars, or lists along a new first axis.
SmallValues stack(const OpFacts& facts) {
  const auto shape = shapeByRule(facts);
  SmallValues joined = facts.op.intAttribute("axis", 0) == 0 ? concat(facts) : SmallValues();
  if (!shape || joined.empty() || elementCount(*shape) != elementCount(joined[0].shape)) return {};
  joined[0].shape = *shape;
  return joined;
}

SmallValues transpose(const OpFacts& facts) {
  const auto order = axisOrder(facts);
  if (!order) return {};
  return moved(*facts.value(0), shapeByRule(facts), [&](const Shape& index) {
    Shape source(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) source[(*order)[i]] = index[i];
    return source;
  });
}

SmallValues expand(const OpFacts& facts) {
  return moved(*facts.value(0), shapeByRule(facts), [](const Shape& index) { return index; });
}

SmallValues tile(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  return moved(data, shapeByRule(facts), [&](Shape index) {
    for (std::size_t i = 0; i < index.size(); ++i) index[i] %= data.shape[i];
    return index;
  });
}

SmallValues split(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const auto axis = facts.axis(0, data.shape.size());
  SmallValues parts;
  std::int64_t begin = 0;
  for (const TensorFacts& output : inferByRule(facts)) {
    if (!output.shape || !axis) return {};
    SmallValues part = moved(data, output.shape, [&](Shape index) {
      index[*axis] += begin;
      return index;
    });
    if (part.empty()) return {};
    begin += (*output.shape)[*axis];
    parts.push_back(std::move(part[0]));
  }
  return parts;
}

SmallValues where(const OpFacts& facts) {
  const SmallValue& condition = *facts.value(0);
  const SmallValue& yes = *facts.value(1);
  const SmallValue& no = *facts.value(2);
  const auto shape = shapeByRule(facts);
  if (yes.dtype != no.dtype || condition.isReal() || !shape || !isSmall(*shape)) return {};
  for (const SmallValue* operand : {&condition, &yes, &no}) {
    if (broadcast(operand->shape, *shape) != shape) return {};
  }
  SmallValue chosen{.dtype = yes.dtype, .shape = *shape};
  forEachIndex(*shape, [&](const Shape& index) {
    const SmallValue& source =
        condition.integers[positionIn(condition.shape, index)] != 0 ? yes : no;
    const std::size_t at = positionIn(source.shape, index);
    if (source.isReal()) chosen.reals.push_back(source.reals[at]);
    if (!source.isReal()) chosen.integers.push_back(source.integers[at]);
  });
  return {chosen};
}

/// Updates of whole rows only: what exporters use to patch one entry of a shape.
SmallValues scatter(const OpFacts& facts) {
  const SmallValue& indices = *facts.value(1);
  const SmallValue& updates = *facts.value(2);
  SmallValue result = *facts.value(0);
  if (result.shape.size() != 1 || indices.isReal() || result.dtype != updates.dtype ||
      indices.size() != updates.size()) {
    return {};
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto place = placeOn(result.shape[0], indices.integers[i]);
    if (!place) return {};
    const auto at = static_cast<std::size_t>(*place);
    if (result.isReal()) result.reals[at] = updates.reals[i];
    if (!result.isReal()) result.integers[at] = updates.integers[i];
  }
  return {result};
}

}  // namespace hw::values
