#include "core/import/onnx/dimensions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/import/onnx/dimension_expression.h"

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

/// The user's name of one dimension of one tensor.
std::string axisKey(const std::string& tensor, int axis) {
  return fmt::format("{}[{}]", tensor, axis);
}

}  // namespace

std::string shapeHint(const std::string& tensor) {
  const auto option = [&](int axis) {
    return "--dim " + shellWord(printable(axisKey(tensor, axis)) + "=1");
  };
  return fmt::format("; {} gives it one dimension of 1, {} {} two, and so on", option(0), option(0),
                     option(1));
}

bool FreeDimensions::bindInput(onnx::TypeProto& type, const std::string& input) {
  giveShape(type, input);
  onnx::TensorShapeProto* shape = shapeOf(type);
  bool assumed = false;
  for (int axis = 0; shape != nullptr && axis < shape->dim_size(); ++axis) {
    Dimension& dimension = *shape->mutable_dim(axis);
    if (isStatic(dimension)) {
      // Some exporters write 0 where they mean "not known".
      const auto given = dimension.dim_value() == 0 ? bound(axisKey(input, axis)) : std::nullopt;
      if (given) dimension.set_dim_value(*given);
      continue;
    }
    const std::string name = dimension.has_dim_param() ? dimension.dim_param() : std::string();
    const Size size = sizeOf(name, input, axis);
    dimension.set_dim_value(size.size);
    assumed = assumed || size.assumed;
  }
  return assumed;
}

/// A tensor without a shape gets one when the user binds its axes from 0 on.
void FreeDimensions::giveShape(onnx::TypeProto& type, const std::string& tensor) {
  if (!type.has_tensor_type() || type.tensor_type().has_shape()) return;
  for (int axis = 0; bound_.contains(axisKey(tensor, axis)); ++axis) {
    type.mutable_tensor_type()->mutable_shape()->add_dim();
  }
}

std::optional<std::int64_t> FreeDimensions::bound(const std::string& key) {
  const auto found = bound_.find(key);
  if (found == bound_.end()) return std::nullopt;
  used_.insert(key);
  return found->second;
}

bool FreeDimensions::bindTensor(onnx::TypeProto& type, const std::string& tensor) {
  if (bound_.empty()) return false;
  giveShape(type, tensor);
  onnx::TensorShapeProto* shape = shapeOf(type);
  bool complete = shape != nullptr;
  for (int axis = 0; shape != nullptr && axis < shape->dim_size(); ++axis) {
    Dimension& dimension = *shape->mutable_dim(axis);
    if (isStatic(dimension)) continue;
    const auto given = bound(axisKey(tensor, axis));
    if (given) dimension.set_dim_value(*given);
    complete = complete && given;
  }
  return complete;
}

void FreeDimensions::assumeTensor(onnx::TypeProto& type, const std::string& tensor,
                                  const std::vector<std::int64_t>& most) {
  onnx::TensorShapeProto* shape = shapeOf(type);
  for (int axis = 0; shape != nullptr && axis < shape->dim_size(); ++axis) {
    Dimension& dimension = *shape->mutable_dim(axis);
    if (isStatic(dimension)) continue;
    const auto index = static_cast<std::size_t>(axis);
    const std::int64_t limit = index < most.size() ? most[index] : -1;
    dimension.set_dim_value(limit < 0 ? -limit : limit);
    const std::string key = axisKey(tensor, axis);
    if (!offered_.insert(key).second) continue;
    notes_.push_back(fmt::format(
        "dimension {} of '{}' depends on data: taken as {}; --dim {}=VALUE", axis,
        printable(tensor),
        limit < 0 ? std::to_string(-limit) : fmt::format("the most it can be, {}", limit),
        printable(key)));
  }
}

std::optional<std::int64_t> FreeDimensions::valueOf(const onnx::TypeProto& type,
                                                    const std::string& input) {
  using Type = onnx::TensorProto;
  const int element = type.has_tensor_type() ? type.tensor_type().elem_type() : 0;
  const bool isWhole = element == Type::INT64 || element == Type::INT32 || element == Type::BOOL;
  if (!isWhole || !type.tensor_type().has_shape()) return std::nullopt;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    if (!dimension.has_dim_value() || dimension.dim_value() != 1) return std::nullopt;
  }
  const auto given = bound(input);
  if (!given) openValues_.push_back(input);
  return given;
}

FreeDimensions::Size FreeDimensions::sizeOf(const std::string& name, const std::string& input,
                                            int axis) {
  const std::string own = axisKey(input, axis);
  if (const auto given = bound(own)) return {*given, false};
  if (!isPlaceholder(name)) {
    if (const auto size = known(name)) return *size;
  }
  const std::string key = isPlaceholder(name) ? own : name;
  const auto found = settled_.find(key);
  const bool isSettled = found != settled_.end();
  const Size size = isSettled ? Size{found->second.size, !found->second.isOnly} : Size{1, true};
  if (!isPlaceholder(name)) sizes_[name] = size;
  offered_.insert(key);
  open_.push_back({key, input, axis});
  const std::string what = fmt::format("free dimension {} of input '{}' taken as {}",
                                       isPlaceholder(name) ? std::to_string(axis) : printable(name),
                                       printable(input), size.size);
  if (!isSettled) {
    notes_.push_back(fmt::format("{}; --dim {}=VALUE", what, printable(key)));
    return size;
  }
  const std::string& by = found->second.by;
  const std::string why = found->second.isOnly
                              ? fmt::format("the only size that {} takes", by)
                              : fmt::format("which fits where {} does not take 1", by);
  notes_.push_back(fmt::format("{}, {}; --dim {}={}", what, why, printable(key), size.size));
  return size;
}

std::optional<FreeDimensions::Size> FreeDimensions::known(const std::string& name) {
  if (const auto bound = bound_.find(name); bound != bound_.end()) {
    used_.insert(name);
    return Size{bound->second, false};
  }
  if (const auto found = sizes_.find(name); found != sizes_.end()) return found->second;
  if (const auto number = parseInteger(name); number && *number >= 0) return Size{*number, false};
  if (isPlainName(name)) return std::nullopt;
  bool assumed = false;
  const auto value = evaluateDimension(name, [&](const std::string& part) {
    const auto size = isPlainName(part) ? known(part) : std::nullopt;
    assumed = assumed || (size && size->assumed);
    return size ? std::optional(size->size) : std::nullopt;
  });
  return value ? std::optional(Size{*value, assumed}) : std::nullopt;
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
    std::set<std::string> keys = offered_;
    for (const auto& [other, ignored] : sizes_) keys.insert(other);
    keys.insert(openValues_.begin(), openValues_.end());
    for (const std::string& other : keys) {
      if (others.size() > 200) break;
      others += (others.empty() ? "" : ", ") + printable(other);
    }
    return fail(ErrorCode::invalidArgument,
                fmt::format("the model has no free dimension '{}'; {}", printable(name),
                            others.empty() ? "it has no other ones either" : "it has " + others));
  }
  return {};
}

}  // namespace hw
