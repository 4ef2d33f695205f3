#include "core/import/shape_rules.h"

#include <algorithm>

namespace hw {
namespace {

/// No tensor may be larger than what the rest of the program can add up.
bool isSane(const TensorFacts& facts) {
  if (!facts.shape) return true;
  const auto count = elementCount(*facts.shape);
  return count && *count <= kMaxBytes.count() &&
         std::ranges::none_of(*facts.shape, [](auto size) { return size < 0; });
}

}  // namespace

std::vector<TensorFacts> inferByRule(const OpFacts& facts) {
  const OpInfo* info = findOp(facts.op);
  if (info == nullptr) return {};
  for (const auto rules : {structureRules(), elementRules(), networkRules(), windowRules(),
                           tensorRules(), signalRules(), classicRules()}) {
    const auto rule = std::ranges::find(rules, info->shape, &ShapeRule::kind);
    if (rule == rules.end()) continue;
    OutputFacts outputs = rule->infer(facts);
    if (outputs.size() > facts.outputCount) outputs.resize(facts.outputCount);
    return std::ranges::all_of(outputs, isSane) ? outputs : OutputFacts();
  }
  return {};
}

OutputFacts like(const OpFacts& facts, std::size_t input) {
  if (facts.shape(input) == nullptr) return {};
  return one(facts.dtype(input), *facts.shape(input));
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
      Dtype::float8,     Dtype::uint4,    Dtype::int4};
  if (elementType < 0 || elementType >= static_cast<std::int64_t>(kTypes.size())) {
    return Dtype::unknown;
  }
  return kTypes[static_cast<std::size_t>(elementType)];
}

}  // namespace hw
