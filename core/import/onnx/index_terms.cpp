#include "core/import/onnx/index_terms.h"

#include <algorithm>
#include <array>

#include "core/import/onnx/values.h"

namespace hw {
namespace {

/// An integer that is known but for what it is counted from: element `at` of a value.
struct Term {
  const Knowledge* base = nullptr;  ///< Null: nothing, the number is `offset`.
  std::size_t at = 0;
  std::int64_t offset = 0;
};
using Terms = std::vector<Term>;

/// Follows the nodes that shift, move and rename small integers.
class TermReader {
 public:
  explicit TermReader(const Scope& scope) : scope_(scope) {}

  std::optional<Terms> read(const std::string& name) {
    constexpr int kDeepest = 32;
    const Knowledge* known = scope_.find(name);
    if (known == nullptr || depth_ >= kDeepest || --readsLeft_ < 0) return std::nullopt;
    if (known->value != nullptr) return constants(*known->value);
    ++depth_;
    auto terms = known->maker != nullptr ? made(*known->maker) : std::nullopt;
    --depth_;
    return terms ? terms : itself(*known);
  }

 private:
  static std::optional<Terms> constants(const SmallValue& value) {
    if (value.isReal() || value.size() > kMost) return std::nullopt;
    Terms terms;
    for (const std::int64_t number : value.integers) terms.push_back({.offset = number});
    return terms;
  }

  static std::optional<Terms> itself(const Knowledge& known) {
    const Dtype dtype = dtypeOfElement(elementType(known.type));
    const auto shape = staticShape(known.type);
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    const bool isWhole = dtype == Dtype::int64 || dtype == Dtype::int32;
    if (!isWhole || !count || *count > static_cast<std::int64_t>(kMost)) return std::nullopt;
    Terms terms;
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
      terms.push_back({.base = &known, .at = i});
    }
    return terms;
  }

  std::optional<Terms> made(const onnx::NodeProto& node) {
    constexpr std::array kSame = {"Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Flatten"};
    if (!normalDomain(node.domain()).empty() || node.input_size() == 0) return std::nullopt;
    const std::string& type = node.op_type();
    if (std::ranges::find(kSame, type) != kSame.end()) return read(node.input(0));
    if (type == "Concat") return joined(node);
    if (type == "Gather") return gathered(node);
    const bool adds = type == "Add";
    return adds || type == "Sub" ? shifted(node, adds ? 1 : -1) : std::nullopt;
  }

  std::optional<Terms> shifted(const onnx::NodeProto& node, std::int64_t sign) {
    auto left = node.input_size() == 2 ? read(node.input(0)) : std::nullopt;
    auto right = left ? read(node.input(1)) : std::nullopt;
    if (!right) return std::nullopt;
    const auto isKnown = [](const Term& term) { return term.base == nullptr; };
    if (sign > 0 && std::ranges::all_of(*left, isKnown)) std::swap(left, right);
    if (!std::ranges::all_of(*right, isKnown)) return std::nullopt;
    if (right->size() != 1 && right->size() != left->size()) return std::nullopt;
    for (std::size_t i = 0; i < left->size(); ++i) {
      const auto by = checkedMul((*right)[right->size() == 1 ? 0 : i].offset, sign);
      const auto sum = by ? checkedAdd((*left)[i].offset, *by) : std::nullopt;
      if (!sum) return std::nullopt;
      (*left)[i].offset = *sum;
    }
    return left;
  }

  std::optional<Terms> joined(const onnx::NodeProto& node) {
    Terms all;
    for (const std::string& name : node.input()) {
      const auto part = read(name);
      if (!part || all.size() + part->size() > kMost) return std::nullopt;
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }

  std::optional<Terms> gathered(const onnx::NodeProto& node) {
    const auto list = node.input_size() == 2 ? read(node.input(0)) : std::nullopt;
    const auto places = list ? read(node.input(1)) : std::nullopt;
    const Knowledge* data = scope_.find(node.input(0));
    const auto shape = data != nullptr ? staticShape(data->type) : std::nullopt;
    if (!places || !shape || shape->size() != 1) return std::nullopt;
    Terms picked;
    for (const Term& place : *places) {
      const auto at = normalAxis(place.offset, list->size());
      if (place.base != nullptr || !at) return std::nullopt;
      picked.push_back((*list)[*at]);
    }
    return picked;
  }

  static constexpr std::size_t kMost = 16;
  const Scope& scope_;
  int depth_ = 0;
  int readsLeft_ = 256;  ///< Sums of sums would be read again and again.
};

/// Where a slice begins and ends, counted from what both are counted from; nothing where they are
/// not counted from one thing.
std::optional<std::pair<std::int64_t, std::int64_t>> spanOf(const Term& start, const Term& end,
                                                            std::int64_t step) {
  if (start.base == nullptr && end.base == nullptr) return std::pair(start.offset, end.offset);
  const bool isPaired = start.base == end.base && start.at == end.at;
  const auto back = checkedMul(start.offset, -1);
  const auto length = back ? checkedAdd(end.offset, *back) : std::nullopt;
  if (!isPaired || step != 1 || !length) return std::nullopt;
  return std::pair(std::int64_t{0}, std::max<std::int64_t>(*length, 0));
}

}  // namespace

std::vector<TensorFacts> sliceByTerms(const onnx::NodeProto& node, const OpFacts& facts,
                                      const Scope& scope) {
  if (!facts.has(1) || !facts.has(2) || facts.shape(0) == nullptr) return {};
  TermReader reader(scope);
  const auto starts = reader.read(node.input(1));
  const auto ends = starts ? reader.read(node.input(2)) : std::nullopt;
  if (!ends || starts->size() != ends->size()) return {};
  const auto steps = facts.integers(4, "", std::vector<std::int64_t>(starts->size(), 1));
  if (!steps || steps->size() != starts->size()) return {};
  SmallValue from = integerList({});
  SmallValue to = integerList({});
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto span = spanOf((*starts)[i], (*ends)[i], (*steps)[i]);
    if (!span) return {};
    from.integers.push_back(span->first);
    to.integers.push_back(span->second);
  }
  from.shape = to.shape = {std::ssize(from.integers)};
  OpFacts counted{.op = facts.op,
                  .opset = facts.opset,
                  .inputs = facts.inputs,
                  .outputCount = facts.outputCount};
  counted.inputs[1].value = &from;
  counted.inputs[2].value = &to;
  return inferByRule(counted);
}

}  // namespace hw
