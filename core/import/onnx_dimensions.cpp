#include "core/import/onnx_dimensions.h"

#include <fmt/format.h>

#include "core/base/quantity.h"
#include "core/base/text.h"

namespace hw {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

onnx::TensorShapeProto* shapeOf(onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return nullptr;
  return type.mutable_tensor_type()->mutable_shape();
}

/// Exporters write the size itself as a name ("80"), or a placeholder that means nothing.
bool isPlaceholder(const std::string& name) { return name.empty() || name == "?" || name == "-1"; }

bool isStatic(const Dimension& dimension) {
  return dimension.has_dim_value() && dimension.dim_value() >= 0;
}

}  // namespace

bool FreeDimensions::bindInput(onnx::TypeProto& type, const std::string& input) {
  onnx::TensorShapeProto* shape = shapeOf(type);
  bool assumed = false;
  for (int axis = 0; shape != nullptr && axis < shape->dim_size(); ++axis) {
    Dimension& dimension = *shape->mutable_dim(axis);
    if (isStatic(dimension)) continue;
    const std::string name = dimension.has_dim_param() ? dimension.dim_param() : std::string();
    const Size size = sizeOf(name, input, axis);
    dimension.set_dim_value(size.size);
    assumed = assumed || size.assumed;
  }
  return assumed;
}

FreeDimensions::Size FreeDimensions::sizeOf(const std::string& name, const std::string& input,
                                            int axis) {
  if (!isPlaceholder(name)) {
    if (const auto size = known(name)) return *size;
  }
  const std::string key = isPlaceholder(name) ? fmt::format("{}[{}]", input, axis) : name;
  if (const auto bound = bound_.find(key); bound != bound_.end()) {
    used_.insert(key);
    return {bound->second, false};
  }
  if (!isPlaceholder(name)) sizes_[name] = {1, true};
  notes_.push_back(fmt::format("free dimension {} of input '{}' taken as 1; --dim {}=VALUE",
                               isPlaceholder(name) ? std::to_string(axis) : printable(name),
                               printable(input), printable(key)));
  return {1, true};
}

std::optional<FreeDimensions::Size> FreeDimensions::known(const std::string& name) {
  if (const auto bound = bound_.find(name); bound != bound_.end()) {
    used_.insert(name);
    return Size{bound->second, false};
  }
  if (const auto found = sizes_.find(name); found != sizes_.end()) return found->second;
  if (const auto number = parseInteger(name); number && *number >= 0) return Size{*number, false};
  const auto factors = splitText(name, '*');
  if (factors.size() < 2) return std::nullopt;
  Size product;
  for (const std::string_view factor : factors) {
    const auto size = known(std::string(trimText(factor)));
    const auto next = size ? checkedMul(product.size, size->size) : std::nullopt;
    if (!next) return std::nullopt;
    product = {*next, product.assumed || size->assumed};
  }
  return product;
}

bool FreeDimensions::substitute(onnx::TypeProto& type) {
  onnx::TensorShapeProto* shape = shapeOf(type);
  bool assumed = false;
  for (int axis = 0; shape != nullptr && axis < shape->dim_size(); ++axis) {
    Dimension& dimension = *shape->mutable_dim(axis);
    if (isStatic(dimension)) continue;
    const auto size = dimension.has_dim_param() ? known(dimension.dim_param()) : std::nullopt;
    dimension.clear_value();
    if (!size) continue;
    dimension.set_dim_value(size->size);
    assumed = assumed || size->assumed;
  }
  return assumed;
}

Result<void> FreeDimensions::checkAllUsed() const {
  for (const auto& [name, size] : bound_) {
    if (used_.contains(name)) continue;
    std::string others;
    for (const auto& [other, ignored] : sizes_) {
      others += (others.empty() ? "" : ", ") + printable(other);
    }
    return fail(ErrorCode::invalidArgument,
                fmt::format("the model has no free dimension '{}'; {}", printable(name),
                            others.empty() ? "it has no other ones either" : "it has " + others));
  }
  return {};
}

}  // namespace hw
