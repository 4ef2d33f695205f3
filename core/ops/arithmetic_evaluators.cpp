#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ops/op_rules.h"

namespace hw::values {
namespace {

using Integer = std::optional<std::int64_t>;

/// Two inputs broadcast together: `each(result, i, j)` adds what comes of their elements i and j,
/// or says that it does not exist, which makes the whole value unknown.
template <class Each>
SmallValues overPairs(const OpFacts& facts, Dtype dtype, Each each) {
  const SmallValue& a = *facts.value(0);
  const SmallValue& b = *facts.value(1);
  const auto shape = broadcast(a.shape, b.shape);
  if (facts.inputs.size() != 2 || !shape || !isSmall(*shape)) return {};
  SmallValue result{.dtype = dtype, .shape = *shape};
  bool exists = true;
  forEachIndex(*shape, [&](const Shape& index) {
    exists = exists && each(result, positionIn(a.shape, index), positionIn(b.shape, index));
  });
  return exists ? SmallValues{result} : SmallValues();
}

/// Integers may have no result: a division by zero, an overflow.
template <class Whole, class Real>
SmallValues combined(const OpFacts& facts, Whole whole, Real real) {
  const SmallValue& a = *facts.value(0);
  const SmallValue& b = *facts.value(1);
  if (a.dtype != b.dtype) return {};
  return overPairs(facts, a.dtype, [&](SmallValue& result, std::size_t i, std::size_t j) {
    if (a.isReal()) {
      result.reals.push_back(roundedTo(a.dtype, real(a.reals[i], b.reals[j])));
      return true;
    }
    const Integer element = whole(a.integers[i], b.integers[j]);
    result.integers.push_back(element.value_or(0));
    return element.has_value();
  });
}

bool divides(std::int64_t a, std::int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min());
}

/// Comparisons and logic: the result is a boolean whatever the inputs are.
template <class Predicate>
SmallValues compared(const OpFacts& facts, Predicate predicate) {
  const SmallValue& a = *facts.value(0);
  const SmallValue& b = *facts.value(1);
  if (a.isReal() != b.isReal()) return {};
  return overPairs(facts, Dtype::boolean, [&](SmallValue& result, std::size_t i, std::size_t j) {
    const bool holds =
        a.isReal() ? predicate(a.reals[i], b.reals[j]) : predicate(a.integers[i], b.integers[j]);
    result.integers.push_back(holds ? 1 : 0);
    return true;
  });
}

/// Maps each element of the only input.
template <class Whole, class Real>
SmallValues mapped(const OpFacts& facts, Whole whole, Real real) {
  SmallValue result = *facts.value(0);
  for (double& element : result.reals) element = roundedTo(result.dtype, real(element));
  for (std::int64_t& element : result.integers) element = whole(element);
  return {result};
}

constexpr auto kSame = [](std::int64_t x) { return x; };

/// A whole tensor folded into one integer: the reductions that turn a shape into a size.
template <class Fold>
SmallValues reduced(const OpFacts& facts, std::int64_t start, Fold fold) {
  const SmallValue& data = *facts.value(0);
  const auto shape = shapeByRule(facts);
  if (data.isReal() || !shape || elementCount(*shape) != 1) return {};
  Integer total = start;
  for (const std::int64_t element : data.integers) {
    if (total) total = fold(*total, element);
  }
  if (!total) return {};
  return {{.dtype = data.dtype, .shape = *shape, .integers = {*total}}};
}

}  // namespace

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

SmallValues floorDivide(const OpFacts& facts) {
  const auto whole = [](std::int64_t a, std::int64_t b) {
    const bool roundsUp = divides(a, b) && a % b != 0 && (a < 0) != (b < 0);
    return divides(a, b) ? Integer(a / b - (roundsUp ? 1 : 0)) : std::nullopt;
  };
  return combined(facts, whole, [](double a, double b) { return std::floor(a / b); });
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

SmallValues power(const OpFacts& facts) {
  const SmallValue& a = *facts.value(0);
  const SmallValue& b = *facts.value(1);
  return overPairs(facts, a.dtype, [&](SmallValue& result, std::size_t i, std::size_t j) {
    const double value = std::pow(a.real(i), b.real(j));
    constexpr double kExact = 9e15;  // Beyond 2^53 doubles skip integers.
    if (!(std::abs(value) < kExact)) return false;
    if (result.isReal()) result.reals.push_back(roundedTo(result.dtype, value));
    if (!result.isReal()) result.integers.push_back(static_cast<std::int64_t>(value));
    return true;
  });
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
SmallValues exclusiveOr(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return (a != 0) != (b != 0); });
}
SmallValues both(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a != 0 && b != 0; });
}
SmallValues either(const OpFacts& facts) {
  return compared(facts, [](auto a, auto b) { return a != 0 || b != 0; });
}

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
  if (!facts.value(0)->isReal()) return {};
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

SmallValues cast(const OpFacts& facts) {
  return castTo(*facts.value(0), dtypeOfElement(facts.op.intAttribute("to", 0)));
}

SmallValues castLike(const OpFacts& facts) {
  return facts.value(0) != nullptr ? castTo(*facts.value(0), facts.dtype(1)) : SmallValues();
}

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
  return {{.integers = {*count}}};
}

SmallValues rankOf(const OpFacts& facts) {
  if (facts.shape(0) == nullptr) return {};
  return {{.integers = {std::ssize(*facts.shape(0))}}};
}

SmallValues constantOfShape(const OpFacts& facts) {
  const auto target = facts.integers(0, "");
  if (!target || !isSmall(*target)) return {};
  const SmallValue zero{.dtype = Dtype::float32, .shape = {1}, .reals = {0}};
  const SmallValue& fill = facts.tensorAttribute != nullptr ? *facts.tensorAttribute : zero;
  const auto count = elementCount(*target);
  if (fill.size() != 1 || !count) return {};
  return {fill.pick(std::vector<std::size_t>(static_cast<std::size_t>(*count), 0), *target)};
}

SmallValues constant(const OpFacts& facts) {
  if (facts.tensorAttribute != nullptr) return {*facts.tensorAttribute};
  const auto& attributes = facts.op.attributes;
  if (attributes.contains("value_ints")) return {integerList(facts.op.intsAttribute("value_ints"))};
  if (attributes.contains("value_int")) {
    return {{.integers = {facts.op.intAttribute("value_int", 0)}}};
  }
  for (const char* name : {"value_float", "value_floats"}) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) continue;
    SmallValue value{.dtype = Dtype::float32};
    if (const auto* real = std::get_if<double>(&found->second)) value.reals = {*real};
    if (const auto* list = std::get_if<std::vector<double>>(&found->second)) {
      value.reals = *list;
      value.shape = {std::ssize(*list)};
    }
    return {value};
  }
  return {};
}

SmallValues range(const OpFacts& facts) {
  const SmallValue& start = *facts.value(0);
  const SmallValue& delta = *facts.value(2);
  const auto shape = shapeByRule(facts);
  if (!shape || !isSmall(*shape)) return {};
  // All three are of one type, in files that mean well.
  if (start.isReal() != delta.isReal() || start.isReal() != facts.value(1)->isReal()) return {};
  SmallValue result{.dtype = start.dtype, .shape = *shape};
  for (std::int64_t i = 0; i < result.shape[0]; ++i) {
    if (result.isReal()) {
      result.reals.push_back(start.reals[0] + static_cast<double>(i) * delta.reals[0]);
    } else {
      result.integers.push_back(start.integers[0] + i * delta.integers[0]);
    }
  }
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
  const SmallValue& data = *facts.value(0);
  if (data.shape.empty()) return {};
  std::vector<Shape> found;
  std::size_t at = 0;
  forEachIndex(data.shape, [&](const Shape& index) {
    if (data.real(at++) != 0) found.push_back(index);
  });
  const Shape shape = {static_cast<std::int64_t>(data.shape.size()),
                       static_cast<std::int64_t>(found.size())};
  if (!isSmall(shape)) return {};
  SmallValue result{.shape = shape};
  for (std::size_t axis = 0; axis < data.shape.size(); ++axis) {
    for (const Shape& index : found) result.integers.push_back(index[axis]);
  }
  return {result};
}

}  // namespace hw::values
