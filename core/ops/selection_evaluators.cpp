#include <algorithm>
#include <cmath>

#include "core/ops/op_rules.h"

namespace hw::values {
namespace {

/// The place of the extreme element of a list; the last of several when asked for.
template <class Better>
SmallValues extremePlace(const OpFacts& facts, Better better) {
  const SmallValue& list = *facts.value(0);
  if (list.shape.size() != 1 || list.size() == 0) return {};
  const bool takesLast = facts.op.intAttribute("select_last_index", 0) != 0;
  std::size_t place = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    const bool equals = list.real(i) == list.real(place);
    if (better(list.real(i), list.real(place)) || (takesLast && equals)) place = i;
  }
  const bool keeps = facts.op.intAttribute("keepdims", 1) != 0;
  return {{.dtype = Dtype::int64,
           .shape = keeps ? Shape{1} : Shape{},
           .integers = {static_cast<std::int64_t>(place)}}};
}

}  // namespace

/// Between two limits, each an input or an old attribute, each optional.
SmallValues clip(const OpFacts& facts) {
  SmallValue result = *facts.value(0);
  const auto limit = [&](std::size_t input, const char* name) -> std::optional<double> {
    if (facts.value(input) != nullptr && facts.value(input)->size() == 1) {
      return facts.value(input)->real(0);
    }
    const auto found = facts.op.attributes.find(name);
    if (found == facts.op.attributes.end()) return std::nullopt;
    const auto* number = std::get_if<double>(&found->second);
    return number != nullptr ? std::optional(*number) : std::nullopt;
  };
  const auto least = limit(1, "min");
  const auto most = limit(2, "max");
  constexpr double kWhole = 9e15;
  const auto clamp = [&](auto& element) {
    const auto value = static_cast<double>(element);
    using Element = std::remove_reference_t<decltype(element)>;
    if (least && value < *least && std::abs(*least) < kWhole)
      element = static_cast<Element>(*least);
    if (most && value > *most && std::abs(*most) < kWhole) element = static_cast<Element>(*most);
  };
  std::ranges::for_each(result.reals, clamp);
  std::ranges::for_each(result.integers, clamp);
  return {result};
}

SmallValues signOf(const OpFacts& facts) {
  SmallValue result = *facts.value(0);
  for (double& element : result.reals) element = element > 0 ? 1 : element < 0 ? -1 : element;
  for (std::int64_t& element : result.integers) element = element > 0 ? 1 : element < 0 ? -1 : 0;
  return {result};
}

/// Running sums of a list, forwards or backwards, each element itself included or not.
SmallValues runningSum(const OpFacts& facts) {
  SmallValue result = *facts.value(0);
  if (result.isReal() || result.shape.size() != 1) return {};
  const bool excludes = facts.op.intAttribute("exclusive", 0) != 0;
  const bool backwards = facts.op.intAttribute("reverse", 0) != 0;
  if (backwards) std::ranges::reverse(result.integers);
  std::int64_t sum = 0;
  for (std::int64_t& element : result.integers) {
    const auto next = checkedAdd(sum, element);
    if (!next) return {};
    element = excludes ? sum : *next;
    sum = *next;
  }
  if (backwards) std::ranges::reverse(result.integers);
  return {result};
}

SmallValues placeOfMost(const OpFacts& facts) {
  return extremePlace(facts, [](double a, double b) { return a > b; });
}
SmallValues placeOfLeast(const OpFacts& facts) {
  return extremePlace(facts, [](double a, double b) { return a < b; });
}

/// Elements of a list at the places given, in the order given.
SmallValues gatherElements(const OpFacts& facts) {
  const SmallValue& list = *facts.value(0);
  const SmallValue& places = *facts.value(1);
  if (list.shape.size() != 1 || places.shape.size() != 1 || places.isReal()) return {};
  std::vector<std::size_t> from;
  const std::int64_t size = list.shape[0];
  for (const std::int64_t at : places.integers) {
    if (at < -size || at >= size) return {};
    from.push_back(static_cast<std::size_t>(at < 0 ? at + size : at));
  }
  return {list.pick(from, places.shape)};
}

/// Elements of a list where a condition holds.
SmallValues compress(const OpFacts& facts) {
  const SmallValue& list = *facts.value(0);
  const SmallValue& condition = *facts.value(1);
  if (list.shape.size() != 1 || condition.isReal()) return {};
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < std::min(list.size(), condition.size()); ++i) {
    if (condition.integers[i] != 0) from.push_back(i);
  }
  return {list.pick(from, {static_cast<std::int64_t>(from.size())})};
}

}  // namespace hw::values
