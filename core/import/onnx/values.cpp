#include "core/import/onnx/values.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/text.h"
#include "core/ops/op_facts.h"

namespace hw {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little endian");

/// IEEE 754 binary16.
double halfToDouble(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int mantissa = bits & 0x3FF;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

double brainToDouble(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U));
}

/// The elements of a tensor: raw bytes, or one of the typed lists.
class ElementReader {
 public:
  ElementReader(const onnx::TensorProto& tensor, std::size_t count)
      : tensor_(tensor), count_(count) {}

  /// The elements as stored type `Stored`, each converted to `Element`; nothing when the tensor
  /// does not hold exactly as many.
  template <class Stored, class List, class Element, class Convert>
  bool read(const List& list, std::vector<Element>& elements, Convert convert) const {
    elements.reserve(count_);
    if (tensor_.has_raw_data() && !tensor_.raw_data().empty()) {
      const std::string& raw = tensor_.raw_data();
      if (raw.size() != count_ * sizeof(Stored)) return false;
      for (std::size_t i = 0; i < count_; ++i) {
        Stored stored{};
        std::memcpy(&stored, raw.data() + i * sizeof(Stored), sizeof(Stored));
        elements.push_back(static_cast<Element>(convert(stored)));
      }
      return true;
    }
    if (static_cast<std::size_t>(list.size()) != count_) return false;
    for (const auto element : list) {
      elements.push_back(static_cast<Element>(convert(static_cast<Stored>(element))));
    }
    return true;
  }

 private:
  const onnx::TensorProto& tensor_;
  std::size_t count_;
};

bool readElements(const onnx::TensorProto& tensor, const ElementReader& reader, SmallValue& value) {
  constexpr auto kSame = [](auto element) { return element; };
  switch (value.dtype) {
    case Dtype::int64:
      return reader.read<std::int64_t>(tensor.int64_data(), value.integers, kSame);
    case Dtype::int32:
      return reader.read<std::int32_t>(tensor.int32_data(), value.integers, kSame);
    case Dtype::int16:
      return reader.read<std::int16_t>(tensor.int32_data(), value.integers, kSame);
    case Dtype::int8:
      return reader.read<std::int8_t>(tensor.int32_data(), value.integers, kSame);
    case Dtype::uint8:
      return reader.read<std::uint8_t>(tensor.int32_data(), value.integers, kSame);
    case Dtype::uint16:
      return reader.read<std::uint16_t>(tensor.int32_data(), value.integers, kSame);
    case Dtype::uint32:
      return reader.read<std::uint32_t>(tensor.uint64_data(), value.integers, kSame);
    case Dtype::boolean:
      return reader.read<std::uint8_t>(tensor.int32_data(), value.integers,
                                       [](auto element) { return element != 0; });
    case Dtype::float32:
      return reader.read<float>(tensor.float_data(), value.reals, kSame);
    case Dtype::float64:
      return reader.read<double>(tensor.double_data(), value.reals, kSame);
    case Dtype::float16:
      return reader.read<std::uint16_t>(tensor.int32_data(), value.reals, &halfToDouble);
    case Dtype::bfloat16:
      return reader.read<std::uint16_t>(tensor.int32_data(), value.reals, &brainToDouble);
    default:
      return false;
  }
}

std::optional<AttributeValue> importAttribute(const onnx::AttributeProto& attribute) {
  constexpr int kLongest = 4096;
  constexpr std::size_t kLongestText = 4096;
  using Type = onnx::AttributeProto;
  // Files of IR version 1 do not say which field is in use.
  if (attribute.has_i() || attribute.type() == Type::INT) return attribute.i();
  if (attribute.has_f() || attribute.type() == Type::FLOAT) {
    return static_cast<double>(attribute.f());
  }
  if (attribute.has_s() || attribute.type() == Type::STRING) {
    if (attribute.s().size() > kLongestText) return std::nullopt;
    return attribute.s();
  }
  const int size = attribute.ints_size() + attribute.floats_size() + attribute.strings_size();
  if (size > kLongest) return std::nullopt;
  if (attribute.ints_size() > 0 || attribute.type() == Type::INTS) {
    return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
  }
  if (attribute.floats_size() > 0 || attribute.type() == Type::FLOATS) {
    return std::vector<double>(attribute.floats().begin(), attribute.floats().end());
  }
  if (attribute.strings_size() > 0 || attribute.type() == Type::STRINGS) {
    return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
  }
  // A list without elements that does not say what it would be of.
  if (attribute.name() == "value_ints") return std::vector<std::int64_t>();
  if (attribute.name() == "value_floats") return std::vector<double>();
  return std::nullopt;
}

}  // namespace

std::optional<SmallValue> smallValue(const onnx::TensorProto& tensor) {
  SmallValue value{.dtype = dtypeOfElement(tensor.data_type()),
                   .shape = Shape(tensor.dims().begin(), tensor.dims().end())};
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL || !isSmall(value.shape)) {
    return std::nullopt;
  }
  const auto count = static_cast<std::size_t>(*elementCount(value.shape));
  if (!readElements(tensor, ElementReader(tensor, count), value)) return std::nullopt;
  return value;
}

/// The places of what is stored are numbers from 0 on, or one coordinate a dimension.
std::optional<SmallValue> smallValue(const onnx::SparseTensorProto& tensor) {
  const auto given = smallValue(tensor.values());
  const auto places = smallValue(tensor.indices());
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  if (!given || !places || places->isReal() || !isSmall(shape)) return std::nullopt;
  const std::size_t each = places->shape.size() == 2 ? shape.size() : 1;
  if (places->size() != given->size() * each) return std::nullopt;
  const auto count = elementCount(shape).value_or(0);
  SmallValue value{.dtype = given->dtype, .shape = shape};
  (value.isReal() ? value.reals.resize(static_cast<std::size_t>(count))
                  : value.integers.resize(static_cast<std::size_t>(count)));
  for (std::size_t i = 0; i < given->size(); ++i) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < each; ++axis) {
      const std::int64_t place = places->integers[i * each + axis];
      const std::int64_t size = each == 1 ? count : shape[axis];
      if (place < 0 || place >= size) return std::nullopt;
      at = at * size + place;
    }
    const auto to = static_cast<std::size_t>(at);
    if (value.isReal()) value.reals[to] = given->reals[i];
    if (!value.isReal()) value.integers[to] = given->integers[i];
  }
  return value;
}

std::optional<SmallValue> attributeValue(const onnx::NodeProto& node) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "value" && attribute.has_t()) return smallValue(attribute.t());
    if (attribute.name() == "sparse_value" && attribute.has_sparse_tensor()) {
      return smallValue(attribute.sparse_tensor());
    }
  }
  return std::nullopt;
}

std::optional<onnx::TypeProto> attributeType(const onnx::NodeProto& node) {
  using Type = onnx::TensorProto;
  const auto list = [](int type, int count) { return tensorType(type, Shape{count}); };
  for (const auto& attribute : node.attribute()) {
    const std::string& name = attribute.name();
    if (name == "value" && attribute.has_t()) {
      const auto& dims = attribute.t().dims();
      return tensorType(attribute.t().data_type(), Shape(dims.begin(), dims.end()));
    }
    if (node.op_type() != "Constant") continue;
    if (name == "sparse_value" && attribute.has_sparse_tensor()) {
      const auto& sparse = attribute.sparse_tensor();
      return tensorType(sparse.values().data_type(),
                        Shape(sparse.dims().begin(), sparse.dims().end()));
    }
    if (name == "value_int") return tensorType(Type::INT64, Shape());
    if (name == "value_float") return tensorType(Type::FLOAT, Shape());
    if (name == "value_string") return tensorType(Type::STRING, Shape());
    if (name == "value_ints") return list(Type::INT64, attribute.ints_size());
    if (name == "value_floats") return list(Type::FLOAT, attribute.floats_size());
    if (name == "value_strings") return list(Type::STRING, attribute.strings_size());
  }
  return std::nullopt;
}

Op importOp(const onnx::NodeProto& node) {
  Op op{.name = node.name(), .type = node.op_type(), .domain = normalDomain(node.domain())};
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (auto value = importAttribute(attribute)) {
      op.attributes.insert_or_assign(attribute.name(), std::move(*value));
    }
    // Of a tensor that only gives the type of what comes out, the type.
    if (attribute.name() == "values_tensor" && attribute.has_t()) {
      op.attributes.insert_or_assign(attribute.name(), std::int64_t{attribute.t().data_type()});
    }
  }
  return op;
}

std::string shownName(const onnx::NodeProto& node) {
  return printable(!node.name().empty()     ? node.name()
                   : node.output_size() > 0 ? node.output(0)
                                            : std::string());
}

std::string normalDomain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::optional<Shape> staticShape(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
  Shape shape;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    if (!dimension.has_dim_value() || dimension.dim_value() < 0) return std::nullopt;
    shape.push_back(dimension.dim_value());
  }
  return shape;
}

Special specialOf(const onnx::NodeProto& node) {
  const OpInfo* row = findOp(node.op_type(), normalDomain(node.domain()));
  return row != nullptr ? row->special : Special::none;
}

int elementType(const onnx::TypeProto& type) {
  return type.has_tensor_type() ? type.tensor_type().elem_type() : 0;
}

int elementType(Dtype dtype) {
  constexpr int kLast = 26;  // INT2, the newest number we have a Dtype for.
  for (int number = 1; number <= kLast; ++number) {
    if (dtypeOfElement(number) == dtype) return number;
  }
  return 0;
}

onnx::TypeProto tensorType(int elementType, const std::optional<Shape>& shape) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(elementType);
  if (!shape) return type;
  onnx::TensorShapeProto& dimensions = *type.mutable_tensor_type()->mutable_shape();
  for (const std::int64_t size : *shape) dimensions.add_dim()->set_dim_value(size);
  return type;
}

}  // namespace hw
