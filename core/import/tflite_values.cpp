#include <algorithm>
#include <array>
#include <cstring>

#include "core/import/evaluators.h"
#include "core/import/tflite_rules.h"

namespace hw {
namespace {

template <class Stored>
void readIntegers(std::string_view bytes, std::size_t count, std::vector<std::int64_t>& to) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored element{};
    std::memcpy(&element, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    to.push_back(static_cast<std::int64_t>(element));
  }
}

/// The same elements under the shape that the operator's rule gives.
SmallValues reshapedByRule(const OpFacts& facts) {
  const TfliteOutputs outputs = inferTflite(facts);
  if (facts.value(0) == nullptr || outputs.empty() || !outputs[0]) return {};
  SmallValue value = *facts.value(0);
  value.shape = *outputs[0];
  return {value};
}

SmallValues shapeValue(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  SmallValue value = integerList(*facts.shape(0));
  constexpr std::int64_t kInt64 = 4;  // The number of the tensor type.
  const bool wide = facts.op.intAttribute("out_type", 0) == kInt64;
  value.dtype = wide ? Dtype::int64 : Dtype::int32;
  return {value};
}

SmallValues rankValue(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  SmallValue value{.dtype = Dtype::int32};
  value.integers = {static_cast<std::int64_t>(facts.shape(0)->size())};
  return {value};
}

/// Scalars, or lists along the first axis, one after the other.
SmallValues pack(const OpFacts& facts) {
  const TfliteOutputs outputs = inferTflite(facts);
  if (outputs.empty() || !outputs[0] || facts.op.intAttribute("axis", 0) != 0) return {};
  if (!isSmall(*outputs[0])) return {};
  SmallValue joined{.dtype = facts.dtype(0), .shape = *outputs[0]};
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const SmallValue* part = facts.value(i);
    if (part == nullptr || part->isReal()) return {};
    joined.integers.insert(joined.integers.end(), part->integers.begin(), part->integers.end());
  }
  const auto count = elementCount(joined.shape);
  if (!count || joined.integers.size() != static_cast<std::size_t>(*count)) return {};
  return {joined};
}

SmallValues cutOut(const OpFacts& facts) {
  const SmallValue* data = facts.value(0);
  const auto cut = stridedCut(facts);
  if (data == nullptr || !cut) return {};
  Shape inner;
  for (const SliceRange& range : cut->ranges) inner.push_back(range.count);
  if (!isSmall(inner)) return {};
  std::vector<std::size_t> from;
  forEachIndex(inner, [&](const Shape& index) {
    Shape source(index.size());
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      source[axis] = cut->ranges[axis].begin + index[axis] * cut->ranges[axis].step;
    }
    from.push_back(positionIn(data->shape, source));
  });
  return {data->pick(from, cut->shape)};
}

/// A standard operator that computes the same, given the same operands.
struct Twin {
  std::string_view type;
  std::string_view standard;
};

constexpr std::array kTwins = {
    Twin{"ABS", "Abs"},
    Twin{"ADD", "Add"},
    Twin{"CONCATENATION", "Concat"},
    Twin{"EQUAL", "Equal"},
    Twin{"GREATER", "Greater"},
    Twin{"GREATER_EQUAL", "GreaterOrEqual"},
    Twin{"LESS", "Less"},
    Twin{"LESS_EQUAL", "LessOrEqual"},
    Twin{"LOGICAL_AND", "And"},
    Twin{"LOGICAL_NOT", "Not"},
    Twin{"LOGICAL_OR", "Or"},
    Twin{"MAXIMUM", "Max"},
    Twin{"MINIMUM", "Min"},
    Twin{"MUL", "Mul"},
    Twin{"NEG", "Neg"},
    Twin{"SELECT", "Where"},
    Twin{"SELECT_V2", "Where"},
    Twin{"SUB", "Sub"},
    Twin{"TRANSPOSE", "Transpose"},
};

SmallValues byTwin(const OpFacts& facts, std::string_view standard) {
  Op op = facts.op;
  op.type = standard;
  if (standard == "Transpose") {
    const auto order = integersOf(facts, 1);
    if (!order) return {};
    op.attributes["perm"] = *order;
  }
  OpFacts twin{.op = op, .opset = 13, .inputs = facts.inputs, .outputCount = facts.outputCount};
  if (standard == "Transpose") twin.inputs.resize(1);
  return evaluateSmall(twin);
}

/// Rounds down where both are not negative: elsewhere the two divisions differ.
SmallValues quotient(const OpFacts& facts) {
  for (std::size_t i = 0; i < 2; ++i) {
    const auto operands = integersOf(facts, i);
    if (!operands || std::ranges::any_of(*operands, [](auto x) { return x < 0; })) return {};
  }
  return byTwin(facts, facts.op.type == "FLOOR_MOD" ? "Mod" : "Div");
}

/// Picks along the first axis.
SmallValues gather(const OpFacts& facts) {
  if (facts.op.intAttribute("batch_dims", 0) != 0) return {};
  return byTwin(facts, "Gather");
}

/// The product or sum of a list.
SmallValues fold(const OpFacts& facts) {
  const auto list = integersOf(facts, 0);
  const TfliteOutputs outputs = inferTflite(facts);
  if (!list || outputs.empty() || !outputs[0] || elementCount(*outputs[0]) != 1) return {};
  const bool isProduct = facts.op.type == "REDUCE_PROD";
  SmallValue value{.dtype = facts.dtype(0), .shape = *outputs[0]};
  value.integers = {isProduct ? 1 : 0};
  for (const std::int64_t element : *list) {
    const auto next =
        isProduct ? checkedMul(value.integers[0], element) : checkedAdd(value.integers[0], element);
    if (!next) return {};
    value.integers[0] = *next;
  }
  return {value};
}

/// Integers of another width; a number that does not fit is not followed.
SmallValues cast(const OpFacts& facts) {
  constexpr std::array kTypes = {Dtype::float32, Dtype::float16, Dtype::int32, Dtype::uint8,
                                 Dtype::int64};
  const auto to = static_cast<std::size_t>(facts.op.intAttribute("out_data_type", 0));
  if (facts.value(0) == nullptr || facts.value(0)->isReal() || to >= kTypes.size()) return {};
  SmallValue value = *facts.value(0);
  value.dtype = kTypes[to];
  if (value.dtype != Dtype::int32 && value.dtype != Dtype::int64) return {};
  const auto fits = [&](std::int64_t x) {
    return value.dtype == Dtype::int64 || x == static_cast<std::int32_t>(x);
  };
  return std::ranges::all_of(value.integers, fits) ? SmallValues{value} : SmallValues();
}

SmallValues range(const OpFacts& facts) { return byTwin(facts, "Range"); }

constexpr std::array kEvaluators = {
    Evaluator{"CAST", &cast},
    Evaluator{"DIV", &quotient},
    Evaluator{"EXPAND_DIMS", &reshapedByRule},
    Evaluator{"FLOOR_DIV", &quotient},
    Evaluator{"FLOOR_MOD", &quotient},
    Evaluator{"GATHER", &gather},
    Evaluator{"PACK", &pack},
    Evaluator{"RANGE", &range},
    Evaluator{"RANK", &rankValue},
    Evaluator{"REDUCE_PROD", &fold},
    Evaluator{"RESHAPE", &reshapedByRule},
    Evaluator{"SHAPE", &shapeValue},
    Evaluator{"SQUEEZE", &reshapedByRule},
    Evaluator{"STRIDED_SLICE", &cutOut},
    Evaluator{"SUM", &fold},
};

}  // namespace

std::vector<SmallValue> evaluateTflite(const OpFacts& facts) {
  const auto evaluator = std::ranges::find(kEvaluators, facts.op.type, &Evaluator::type);
  if (evaluator != kEvaluators.end()) return evaluator->evaluate(facts);
  const auto twin = std::ranges::find(kTwins, facts.op.type, &Twin::type);
  return twin != kTwins.end() ? byTwin(facts, twin->standard) : SmallValues();
}

bool evaluatesTflite(std::string_view type) {
  return std::ranges::find(kEvaluators, type, &Evaluator::type) != kEvaluators.end() ||
         std::ranges::find(kTwins, type, &Twin::type) != kTwins.end();
}

std::shared_ptr<const SmallValue> tfliteValue(Dtype dtype, const Shape& shape,
                                              std::string_view bytes) {
  if (!isSmall(shape)) return nullptr;
  auto value = std::make_shared<SmallValue>(SmallValue{.dtype = dtype, .shape = shape});
  const auto count = static_cast<std::size_t>(*elementCount(shape));
  const auto size = packedSize(dtype, static_cast<std::int64_t>(count));
  if (!size || bytes.size() < static_cast<std::size_t>(size->count())) return nullptr;
  switch (dtype) {
    case Dtype::int32:
      readIntegers<std::int32_t>(bytes, count, value->integers);
      return value;
    case Dtype::int64:
      readIntegers<std::int64_t>(bytes, count, value->integers);
      return value;
    case Dtype::int16:
      readIntegers<std::int16_t>(bytes, count, value->integers);
      return value;
    case Dtype::int8:
      readIntegers<std::int8_t>(bytes, count, value->integers);
      return value;
    case Dtype::uint8:
    case Dtype::boolean:
      readIntegers<std::uint8_t>(bytes, count, value->integers);
      return value;
    default:
      return nullptr;
  }
}

}  // namespace hw
