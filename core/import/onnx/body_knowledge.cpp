#include "core/import/onnx/body_knowledge.h"

#include "core/import/onnx/values.h"

namespace hw {

bool hasSameShape(const Knowledge& a, const Knowledge& b) {
  const auto shape = staticShape(a.type);
  return shape && shape == staticShape(b.type);
}

bool hasRank(const onnx::TypeProto& type) {
  return type.has_tensor_type() && type.tensor_type().has_shape();
}

void fillFrom(const Knowledge& declared, Knowledge& known) {
  if (!hasRank(declared.type)) return;
  onnx::TensorShapeProto filled = known.type.tensor_type().shape();
  const onnx::TensorShapeProto& stated = declared.type.tensor_type().shape();
  if (stated.dim_size() != filled.dim_size()) return;
  for (int axis = 0; axis < filled.dim_size(); ++axis) {
    if (!stated.dim(axis).has_dim_value() || stated.dim(axis).dim_value() < 0) continue;
    const std::int64_t size = stated.dim(axis).dim_value();
    auto& dimension = *filled.mutable_dim(axis);
    if (dimension.has_dim_value() && dimension.dim_value() != size) return;
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t most = at < known.most.size() ? known.most[at] : -1;
    if (!dimension.has_dim_value() && most >= 0 && size > most) return;
    dimension.set_dim_value(size);
  }
  *known.type.mutable_tensor_type()->mutable_shape() = std::move(filled);
  if (!staticShape(known.type)) return;
  known.origin = declared.origin;
  known.assumed = known.assumed || declared.assumed;
}

Knowledge openKnowledge(const OpenFacts& facts) {
  Knowledge known = typed(tensorType(elementType(facts.dtype), facts.most));
  auto& shape = *known.type.mutable_tensor_type()->mutable_shape();
  for (const std::size_t axis : facts.open)
    shape.mutable_dim(static_cast<int>(axis))->clear_value();
  if (!facts.open.empty()) known.most = facts.most;
  return known;
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
