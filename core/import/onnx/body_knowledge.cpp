#include "core/import/onnx/body_knowledge.h"

#include "core/import/onnx/values.h"

namespace hw {

bool hasSameShape(const Knowledge& a, const Knowledge& b) {
  const auto shape = staticShape(a.type);
  return shape && shape == staticShape(b.type);
}

Knowledge withoutShape(const Knowledge& known, std::string reason) {
  Knowledge open;
  open.type = known.type;
  if (open.type.has_tensor_type()) open.type.mutable_tensor_type()->clear_shape();
  open.reason = std::move(reason);
  return open;
}

Knowledge withoutValue(Knowledge known) {
  known.value = nullptr;
  known.items = nullptr;
  return known;
}

Knowledge stacked(const Knowledge& row, const TurnCount& turns, std::int64_t axis) {
  auto shape = staticShape(row.type);
  const auto rank = shape ? static_cast<std::int64_t>(shape->size()) + 1 : 0;
  if (axis < 0) axis += rank;
  if (!shape || axis < 0 || axis >= rank) {
    return withoutShape(row, row.reason.empty() ? "its rows have no known shape" : row.reason);
  }
  shape->insert(shape->begin() + axis, turns.exact.value_or(turns.most));
  Knowledge all;
  all.type = tensorType(elementType(row.type), shape);
  all.assumed = row.assumed;
  if (turns.exact) {
    all.origin = SizeOrigin::inferred;
    return all;
  }
  all.reason = "the number of iterations is not known";
  all.most = *shape;
  auto& dimensions = *all.type.mutable_tensor_type()->mutable_shape();
  dimensions.mutable_dim(static_cast<int>(axis))->clear_value();
  return all;
}

std::optional<bool> truth(const Knowledge* known) {
  if (known == nullptr || known->value == nullptr) return std::nullopt;
  const auto single = known->value->single();
  if (!single) return std::nullopt;
  return *single != 0;
}

}  // namespace hw
