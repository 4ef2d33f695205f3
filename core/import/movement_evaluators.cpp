#include <algorithm>
#include <array>
#include <numeric>

#include "core/import/evaluators.h"

namespace hw {
namespace {

using Positions = std::vector<std::size_t>;

/// One output whose elements are those of `input` in the order that `source` gives: it maps an
/// index of the output to a position in the input.
template <class Source>
SmallValues moved(const SmallValue& input, Shape shape, Source source) {
  if (!isSmall(shape)) return {};
  Positions from;
  forEachIndex(shape, [&](const Shape& index) { from.push_back(source(index)); });
  return {input.pick(from, std::move(shape))};
}

SmallValues withShape(const SmallValue& value, const std::optional<Shape>& shape) {
  if (!shape) return {};
  SmallValue same = value;
  same.shape = *shape;
  return {same};
}

SmallValues identity(const OpFacts& facts) { return {*facts.value(0)}; }

SmallValues gather(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const SmallValue& indices = *facts.value(1);
  const auto axis = normalAxis(facts.op.intAttribute("axis", 0), data.shape.size());
  if (!axis || indices.isReal()) return {};
  const auto before = static_cast<std::ptrdiff_t>(*axis);
  const std::int64_t size = data.shape[*axis];
  for (const std::int64_t at : indices.integers) {
    if (at < -size || at >= size) return {};
  }
  Shape shape(data.shape.begin(), data.shape.begin() + before);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), data.shape.begin() + before + 1, data.shape.end());
  const auto rank = static_cast<std::ptrdiff_t>(indices.shape.size());
  return moved(data, std::move(shape), [&](const Shape& index) {
    const auto middle = index.begin() + before;
    const std::int64_t at = indices.integers[positionIn(indices.shape, {middle, middle + rank})];
    Shape source(index.begin(), middle);
    source.push_back(at < 0 ? at + size : at);
    source.insert(source.end(), middle + rank, index.end());
    return positionIn(data.shape, source);
  });
}

SmallValues slice(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const auto ranges = sliceRanges(facts, data.shape);
  if (!ranges) return {};
  Shape shape;
  for (const SliceRange& range : *ranges) shape.push_back(range.count);
  return moved(data, std::move(shape), [&](const Shape& index) {
    Shape source(index.size());
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      source[axis] = (*ranges)[axis].begin + index[axis] * (*ranges)[axis].step;
    }
    return positionIn(data.shape, source);
  });
}

SmallValues concat(const OpFacts& facts) {
  SmallValue joined;
  std::size_t total = 0;
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const SmallValue* part = facts.value(i);
    if (part == nullptr || part->shape.size() != 1) return {};  // Shapes are lists.
    if (i == 0) joined.dtype = part->dtype;
    if (part->dtype != joined.dtype) return {};
    joined.integers.insert(joined.integers.end(), part->integers.begin(), part->integers.end());
    joined.reals.insert(joined.reals.end(), part->reals.begin(), part->reals.end());
    total += part->size();
  }
  joined.shape = {static_cast<std::int64_t>(total)};
  if (!isSmall(joined.shape)) return {};
  return {joined};
}

SmallValues reshape(const OpFacts& facts) {
  const auto target = facts.integers(1, "shape");
  if (!target) return {};
  const bool zeroCopies = facts.op.intAttribute("allowzero", 0) == 0;
  return withShape(*facts.value(0), reshaped(facts.value(0)->shape, *target, zeroCopies));
}

/// Squeeze, Unsqueeze and Flatten: the shape rule knows the shape, the elements stay.
SmallValues reshapedByRule(const OpFacts& facts) {
  const auto outputs = inferByRule(facts);
  return outputs.empty() ? SmallValues() : withShape(*facts.value(0), outputs[0].shape);
}

SmallValues transpose(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const auto outputs = inferByRule(facts);
  if (outputs.empty() || !outputs[0].shape) return {};
  auto order = facts.op.intsAttribute("perm");
  if (order.empty()) {
    order.resize(data.shape.size());
    std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  }
  return moved(data, *outputs[0].shape, [&](const Shape& index) {
    Shape source(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      source[static_cast<std::size_t>(order[i])] = index[i];
    }
    return positionIn(data.shape, source);
  });
}

SmallValues expand(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  if (facts.value(1) == nullptr || facts.value(1)->isReal()) return {};
  const Shape& target = facts.value(1)->integers;
  if (std::ranges::any_of(target, [](auto size) { return size < 0; })) return {};
  const auto shape = broadcast(data.shape, target);
  if (!shape) return {};
  return moved(data, *shape, [&](const Shape& index) { return positionIn(data.shape, index); });
}

SmallValues tile(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const auto outputs = inferByRule(facts);
  if (outputs.empty() || !outputs[0].shape) return {};
  return moved(data, *outputs[0].shape, [&](const Shape& index) {
    Shape source(index.size());
    for (std::size_t i = 0; i < index.size(); ++i) source[i] = index[i] % data.shape[i];
    return positionIn(data.shape, source);
  });
}

SmallValues split(const OpFacts& facts) {
  const SmallValue& data = *facts.value(0);
  const auto outputs = inferByRule(facts);
  const auto axis = normalAxis(facts.op.intAttribute("axis", 0), data.shape.size());
  SmallValues parts;
  std::int64_t begin = 0;
  for (const TensorFacts& output : outputs) {
    if (!output.shape || !axis) return {};
    auto part = moved(data, *output.shape, [&](Shape index) {
      index[*axis] += begin;
      return positionIn(data.shape, index);
    });
    if (part.empty()) return {};
    begin += (*output.shape)[*axis];
    parts.push_back(std::move(part[0]));
  }
  return parts;
}

SmallValues where(const OpFacts& facts) {
  const SmallValue* condition = facts.value(0);
  const SmallValue* yes = facts.value(1);
  const SmallValue* no = facts.value(2);
  if (!condition || !yes || !no || yes->dtype != no->dtype || condition->isReal()) return {};
  const auto values = broadcast(yes->shape, no->shape);
  const auto shape = values ? broadcast(condition->shape, *values) : std::nullopt;
  if (!shape || !isSmall(*shape)) return {};
  SmallValue chosen{.dtype = yes->dtype, .shape = *shape};
  forEachIndex(*shape, [&](const Shape& index) {
    const bool holds = condition->integers[positionIn(condition->shape, index)] != 0;
    const SmallValue& source = holds ? *yes : *no;
    const std::size_t at = positionIn(source.shape, index);
    if (source.isReal()) {
      chosen.reals.push_back(source.reals[at]);
    } else {
      chosen.integers.push_back(source.integers[at]);
    }
  });
  return {chosen};
}

/// Updates of whole rows only: what exporters use to patch one entry of a shape.
SmallValues scatter(const OpFacts& facts) {
  const SmallValue* data = facts.value(0);
  const SmallValue* indices = facts.value(1);
  const SmallValue* updates = facts.value(2);
  if (!data || !indices || !updates || data->shape.size() != 1 || indices->isReal() ||
      data->dtype != updates->dtype || indices->size() != updates->size()) {
    return {};
  }
  SmallValue result = *data;
  const std::int64_t size = data->shape[0];
  for (std::size_t i = 0; i < indices->size(); ++i) {
    const std::int64_t at = indices->integers[i];
    if (at < -size || at >= size) return {};
    const auto place = static_cast<std::size_t>(at < 0 ? at + size : at);
    if (result.isReal()) {
      result.reals[place] = updates->reals[i];
    } else {
      result.integers[place] = updates->integers[i];
    }
  }
  return {result};
}

constexpr std::array kMovement = {
    Evaluator{"Identity", &identity},
    Evaluator{"Gather", &gather, true, 2},
    Evaluator{"Slice", &slice},
    Evaluator{"Concat", &concat},
    Evaluator{"Reshape", &reshape},
    Evaluator{"Flatten", &reshapedByRule},
    Evaluator{"Squeeze", &reshapedByRule},
    Evaluator{"Unsqueeze", &reshapedByRule},
    Evaluator{"Transpose", &transpose},
    Evaluator{"Expand", &expand},
    Evaluator{"Tile", &tile},
    Evaluator{"Split", &split},
    Evaluator{"Where", &where},
    Evaluator{"ScatterElements", &scatter},
    Evaluator{"ScatterND", &scatter},
};

}  // namespace

std::span<const Evaluator> movementEvaluators() { return kMovement; }

}  // namespace hw
