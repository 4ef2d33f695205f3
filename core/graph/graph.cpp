#include "core/graph/graph.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace hw {

std::optional<std::int64_t> elementCount(const Shape& shape) {
  // A zero anywhere makes the tensor empty, even beside dimensions whose product would overflow.
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    const auto product = checkedMul(count, dimension);
    if (!product || dimension < 0) return std::nullopt;
    count = *product;
  }
  return count;
}

std::string_view sizeOriginName(SizeOrigin origin) {
  constexpr std::array<std::string_view, 5> kNames = {"unknown", "declared", "inferred",
                                                      "evaluated", "assumed"};
  return kNames[static_cast<std::size_t>(origin)];
}

std::int64_t Op::intAttribute(const std::string& key, std::int64_t fallback) const {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return fallback;
  const auto* value = std::get_if<std::int64_t>(&found->second);
  return value ? *value : fallback;
}

std::vector<std::int64_t> Op::intsAttribute(const std::string& key) const {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return {};
  const auto* value = std::get_if<std::vector<std::int64_t>>(&found->second);
  return value ? *value : std::vector<std::int64_t>();
}

std::string Op::stringAttribute(const std::string& key, const std::string& fallback) const {
  const auto found = attributes.find(key);
  if (found == attributes.end()) return fallback;
  const auto* value = std::get_if<std::string>(&found->second);
  return value ? *value : fallback;
}

std::vector<TensorId> Graph::reads(OpId id) const {
  constexpr std::size_t kFew = 16;  // Most ops read so little that searching beats hashing.
  const Op& op = ops[id];
  std::vector<TensorId> distinct;
  std::unordered_set<std::size_t> seen;
  const bool few = op.inputs.size() + op.captures.size() <= kFew;
  const auto isNew = [&](TensorId tensor) {
    if (!few) return seen.insert(tensor.index()).second;
    return std::ranges::find(distinct, tensor) == distinct.end();
  };
  const auto add = [&](TensorId tensor) {
    if (tensor && isNew(tensor)) distinct.push_back(tensor);
  };
  std::ranges::for_each(op.inputs, add);
  std::ranges::for_each(op.captures, add);
  return distinct;
}

std::string displayName(const Graph& graph, TensorId id) {
  const std::string& name = graph.tensors[id].name;
  return name.empty() ? "t" + std::to_string(id.index()) : name;
}

std::string displayName(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  return op.name.empty() ? op.type + "_" + std::to_string(id.index()) : op.name;
}

}  // namespace hw
