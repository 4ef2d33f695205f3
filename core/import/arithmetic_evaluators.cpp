#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/import/evaluators.h"

namespace hw {
namespace {

using Integer = std::optional<std::int64_t>;

/// Combines two broadcast inputs element by element. An integer result that does not exist (a
/// division by zero, an overflow) makes the whole value unknown.
template <class Whole, class Real>
SmallValues combined(const OpFacts& facts, Whole whole, Real real) {
  if (facts.inputs.size() != 2) return {};
  const SmallValue* a = facts.value(0);
  const SmallValue* b = facts.value(1);
  if (a == nullptr || b == nullptr || a->dtype != b->dtype) return {};
  const auto shape = broadcast(a->shape, b->shape);
  if (!shape || !isSmall(*shape)) return {};
  SmallValue result{.dtype = a->dtype, .shape = *shape};
  bool exists = true;
  forEachIndex(*shape, [&](const Shape& index) {
    const std::size_t atA = positionIn(a->shape, index);
    const std::size_t atB = positionIn(b->shape, index);
    if (a->isReal()) {
      result.reals.push_back(roundedTo(a->dtype, real(a->reals[atA], b->reals[atB])));
      return;
    }
    const Integer element = whole(a->integers[atA], b->integers[atB]);
    exists = exists && element;
    result.integers.push_back(element.value_or(0));
  });
  return exists ? SmallValues{result} : SmallValues();
}

bool divides(std::int64_t a, std::int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

SmallValues add(const OpFacts& facts) {
  return combined(facts, &checkedAdd, [](double a, double b) { return a + b; });
}

SmallValues subtract(const OpFacts& facts) {
  const auto whole = [](std::int64_t a, std::int64_t b) -> Integer {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
    return difference;
  };
  return combined(facts, whole, [](double a, double b) { return a - b; });
}

SmallValues multiply(const OpFacts& facts) {
  return combined(facts, &checkedMul, [](double a, double b) { return a * b; });
}

SmallValues divide(const OpFacts& facts) {
  const auto whole = [](std::int64_t a, std::int64_t b) {
    return divides(a, b) ? Integer(a / b) : std::nullopt;
  };
  return combined(facts, whole, [](double a, double b) { return a / b; });
}

SmallValues modulo(const OpFacts& facts) {
  const bool likeC = facts.op.intAttribute("fmod", 0) != 0;
  const auto whole = [&](std::int64_t a, std::int64_t b) -> Integer {
    if (!divides(a, b)) return std::nullopt;
    const std::int64_t rest = a % b;
    return !likeC && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  };
  return combined(facts, whole, [](double a, double b) { return std::fmod(a, b); });
}

SmallValues least(const OpFacts& facts) {
  return combined(
      facts, [](auto a, auto b) { return Integer(std::min(a, b)); },
      [](double a, double b) { return std::min(a, b); });
}

SmallValues most(const OpFacts& facts) {
  return combined(
      facts, [](auto a, auto b) { return Integer(std::max(a, b)); },
      [](double a, double b) { return std::max(a, b); });
}

/// Comparisons and logic: the result is a boolean whatever the inputs are.
template <class Predicate>
SmallValues compared(const OpFacts& facts, Predicate predicate) {
  if (facts.inputs.size() != 2) return {};
  const SmallValue* a = facts.value(0);
  const SmallValue* b = facts.value(1);
  if (a == nullptr || b == nullptr || a->isReal() != b->isReal()) return {};
  const auto shape = broadcast(a->shape, b->shape);
  if (!shape || !isSmall(*shape)) return {};
  SmallValue result{.dtype = Dtype::boolean, .shape = *shape};
  forEachIndex(*shape, [&](const Shape& index) {
    const std::size_t atA = positionIn(a->shape, index);
    const std::size_t atB = positionIn(b->shape, index);
    const bool holds = a->isReal() ? predicate(a->reals[atA], b->reals[atB])
                                   : predicate(a->integers[atA], b->integers[atB]);
    result.integers.push_back(holds ? 1 : 0);
  });
  return {result};
}

SmallValues equal(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a == b; });
}
SmallValues less(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a < b; });
}
SmallValues lessOrEqual(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a <= b; });
}
SmallValues greater(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a > b; });
}
SmallValues greaterOrEqual(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a >= b; });
}
SmallValues both(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a != 0 && b != 0; });
}
SmallValues either(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a != 0 || b != 0; });
}

/// Maps each element of the only input.
template <class Whole, class Real>
SmallValues mapped(const OpFacts& facts, Whole whole, Real real) {
  if (facts.value(0) == nullptr) return {};
  SmallValue result = *facts.value(0);
  for (double& element : result.reals) element = roundedTo(result.dtype, real(element));
  for (std::int64_t& element : result.integers) element = whole(element);
  return {result};
}

constexpr auto kSame = [](std::int64_t x) { return x; };

SmallValues floorOf(const OpFacts& facts) {
  return mapped(facts, kSame, [](double x) { return std::floor(x); });
}
SmallValues ceilOf(const OpFacts& facts) {
  return mapped(facts, kSame, [](double x) { return std::ceil(x); });
}
SmallValues roundOf(const OpFacts& facts) {  // Halves to even, the default rounding mode.
  return mapped(facts, kSame, [](double x) { return std::nearbyint(x); });
}
SmallValues squareRoot(const OpFacts& facts) {
  if (facts.value(0) == nullptr || !facts.value(0)->isReal()) return {};
  return mapped(facts, kSame, [](double x) { return std::sqrt(x); });
}
SmallValues negate(const OpFacts& facts) {
  const auto whole = [](std::int64_t x) { return x == INT64_MIN ? x : -x; };
  return mapped(facts, whole, [](double x) { return -x; });
}
SmallValues absolute(const OpFacts& facts) {
  const auto whole = [](std::int64_t x) { return x < 0 && x != INT64_MIN ? -x : x; };
  return mapped(facts, whole, [](double x) { return std::abs(x); });
}
SmallValues invert(const OpFacts& facts) {
  const auto whole = [](std::int64_t x) { return std::int64_t{x == 0}; };
  return mapped(facts, whole, [](double x) { return x; });
}

SmallValues castTo(const SmallValue* input, Dtype dtype) {
  if (input == nullptr) return {};
  SmallValue result{.dtype = dtype, .shape = input->shape};
  if (dtypeBits(dtype) == 0 || dtype == Dtype::float8 || dtype == Dtype::complex64 ||
      dtype == Dtype::complex128) {
    return {};
  }
  constexpr double kLimit = 9.2e18;  // Below 2^63: beyond it the cast has no defined result.
  for (std::size_t i = 0; i < input->size(); ++i) {
    if (result.isReal()) {
      result.reals.push_back(roundedTo(result.dtype, input->real(i)));
      continue;
    }
    if (input->isReal() && !(std::abs(input->reals[i]) < kLimit)) return {};
    const std::int64_t whole =
        input->isReal() ? static_cast<std::int64_t>(input->reals[i]) : input->integers[i];
    const bool isTrue = input->isReal() ? input->reals[i] != 0 : whole != 0;
    result.integers.push_back(result.dtype == Dtype::boolean ? isTrue : whole);
  }
  return {result};
}

SmallValues cast(const OpFacts& facts) {
  return castTo(facts.value(0), dtypeOfElement(facts.op.intAttribute("to", 0)));
}

SmallValues castLike(const OpFacts& facts) { return castTo(facts.value(0), facts.dtype(1)); }

SmallValues shapeOf(const OpFacts& facts) {
  const Shape* shape = facts.shape(0);
  if (shape == nullptr) return {};
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto bound = [&](const char* name, std::int64_t fallback) {
    const std::int64_t at = facts.op.intAttribute(name, fallback);
    return std::clamp(at < 0 ? at + rank : at, std::int64_t{0}, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  return {integerList({shape->begin() + start, shape->begin() + end})};
}

SmallValues sizeOf(const OpFacts& facts) {
  const auto count = facts.shape(0) ? elementCount(*facts.shape(0)) : std::nullopt;
  if (!count) return {};
  SmallValue size;
  size.integers = {*count};
  return {size};
}

SmallValues constantOfShape(const OpFacts& facts) {
  const SmallValue* target = facts.value(0);
  if (target == nullptr || target->isReal() || !isSmall(target->integers)) return {};
  SmallValue zero{.dtype = Dtype::float32, .shape = {1}};
  zero.reals = {0};
  const SmallValue& fill = facts.tensorAttribute != nullptr ? *facts.tensorAttribute : zero;
  const auto count = elementCount(target->integers);
  if (fill.size() != 1 || !count) return {};
  return {
      fill.pick(std::vector<std::size_t>(static_cast<std::size_t>(*count), 0), target->integers)};
}

SmallValues constant(const OpFacts& facts) {
  if (facts.tensorAttribute != nullptr) return {*facts.tensorAttribute};
  const auto& attributes = facts.op.attributes;
  if (const auto list = facts.op.intsAttribute("value_ints"); !list.empty()) {
    return {integerList(list)};
  }
  if (attributes.contains("value_int")) {
    SmallValue scalar;
    scalar.integers = {facts.op.intAttribute("value_int", 0)};
    return {scalar};
  }
  const auto found = attributes.find("value_float");
  const auto* real = found == attributes.end() ? nullptr : std::get_if<double>(&found->second);
  if (real == nullptr) return {};
  SmallValue scalar{.dtype = Dtype::float32};
  scalar.reals = {*real};
  return {scalar};
}

SmallValues range(const OpFacts& facts) {
  const SmallValue* start = facts.value(0);
  const SmallValue* limit = facts.value(1);
  const SmallValue* delta = facts.value(2);
  const auto outputs = inferByRule(facts);
  if (!start || !limit || !delta || outputs.empty() || !outputs[0].shape ||
      !isSmall(*outputs[0].shape)) {
    return {};
  }
  // All three are of one type, in files that mean well.
  if (start->isReal() != delta->isReal() || start->isReal() != limit->isReal()) return {};
  SmallValue result{.dtype = start->dtype, .shape = *outputs[0].shape};
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    if (result.isReal()) {
      result.reals.push_back(start->reals[0] + static_cast<double>(i) * delta->reals[0]);
    } else {
      result.integers.push_back(start->integers[0] + i * delta->integers[0]);
    }
  }
  return {result};
}

/// A whole tensor folded into one integer: the reductions that turn a shape into a size.
template <class Fold>
SmallValues reduced(const OpFacts& facts, std::int64_t start, Fold fold) {
  const SmallValue* data = facts.value(0);
  const auto outputs = inferByRule(facts);
  if (data == nullptr || data->isReal() || outputs.empty() || !outputs[0].shape ||
      elementCount(*outputs[0].shape) != 1) {
    return {};
  }
  Integer total = start;
  for (const std::int64_t element : data->integers) {
    if (total) total = fold(*total, element);
  }
  if (!total) return {};
  SmallValue result{.dtype = data->dtype, .shape = *outputs[0].shape};
  result.integers = {*total};
  return {result};
}

SmallValues reduceProduct(const OpFacts& facts) { return reduced(facts, 1, &checkedMul); }
SmallValues reduceSum(const OpFacts& facts) { return reduced(facts, 0, &checkedAdd); }
SmallValues reduceMost(const OpFacts& facts) {
  return reduced(facts, INT64_MIN, [](auto a, auto b) { return Integer(std::max(a, b)); });
}
SmallValues reduceLeast(const OpFacts& facts) {
  return reduced(facts, INT64_MAX, [](auto a, auto b) { return Integer(std::min(a, b)); });
}

/// Coordinates of the elements that are not zero, one row an axis.
SmallValues nonZero(const OpFacts& facts) {
  const SmallValue* data = facts.value(0);
  if (data == nullptr || data->shape.empty()) return {};
  std::vector<Shape> found;
  std::size_t at = 0;
  forEachIndex(data->shape, [&](const Shape& index) {
    if (data->real(at++) != 0) found.push_back(index);
  });
  const Shape shape = {static_cast<std::int64_t>(data->shape.size()),
                       static_cast<std::int64_t>(found.size())};
  if (!isSmall(shape)) return {};
  SmallValue result{.shape = shape};
  for (std::size_t axis = 0; axis < data->shape.size(); ++axis) {
    for (const Shape& index : found) result.integers.push_back(index[axis]);
  }
  return {result};
}

constexpr std::array kArithmetic = {
    Evaluator{"Add", &add},
    Evaluator{"Sub", &subtract},
    Evaluator{"Mul", &multiply},
    Evaluator{"Div", &divide},
    Evaluator{"Mod", &modulo},
    Evaluator{"Min", &least},
    Evaluator{"Max", &most},
    Evaluator{"Equal", &equal},
    Evaluator{"Less", &less},
    Evaluator{"LessOrEqual", &lessOrEqual},
    Evaluator{"Greater", &greater},
    Evaluator{"GreaterOrEqual", &greaterOrEqual},
    Evaluator{"And", &both},
    Evaluator{"Or", &either},
    Evaluator{"Not", &invert},
    Evaluator{"Neg", &negate},
    Evaluator{"Abs", &absolute},
    Evaluator{"Floor", &floorOf},
    Evaluator{"Ceil", &ceilOf},
    Evaluator{"Round", &roundOf},
    Evaluator{"Sqrt", &squareRoot},
    Evaluator{"Cast", &cast},
    Evaluator{"Range", &range},
    Evaluator{"NonZero", &nonZero},
    Evaluator{"ReduceProd", &reduceProduct},
    Evaluator{"ReduceSum", &reduceSum},
    Evaluator{"ReduceMax", &reduceMost},
    Evaluator{"ReduceMin", &reduceLeast},
    Evaluator{"CastLike", &castLike, false},
    Evaluator{"Shape", &shapeOf, false},
    Evaluator{"Size", &sizeOf, false},
    Evaluator{"ConstantOfShape", &constantOfShape},
    Evaluator{"Constant", &constant, true, 0},
};

}  // namespace

std::span<const Evaluator> arithmeticEvaluators() { return kArithmetic; }

}  // namespace hw
