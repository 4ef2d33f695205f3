#include "core/import/tflite_rules.h"

#include <cstring>

namespace hw {
namespace {

template <class Stored>
void readIntegers(std::string_view bytes, std::size_t count, std::vector<std::int64_t>& to) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored element{};
    std::memcpy(&element, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    to.push_back(static_cast<std::int64_t>(element));
  }
}

}  // namespace

std::shared_ptr<const SmallValue> tfliteValue(Dtype dtype, const Shape& shape,
                                              std::string_view bytes) {
  if (!isSmall(shape)) return nullptr;
  auto value = std::make_shared<SmallValue>(SmallValue{.dtype = dtype, .shape = shape});
  const auto count = static_cast<std::size_t>(*elementCount(shape));
  const auto size = packedSize(dtype, static_cast<std::int64_t>(count));
  if (!size || bytes.size() < static_cast<std::size_t>(size->count())) return nullptr;
  switch (dtype) {
    case Dtype::int32:
      readIntegers<std::int32_t>(bytes, count, value->integers);
      return value;
    case Dtype::int64:
      readIntegers<std::int64_t>(bytes, count, value->integers);
      return value;
    case Dtype::int16:
      readIntegers<std::int16_t>(bytes, count, value->integers);
      return value;
    case Dtype::int8:
      readIntegers<std::int8_t>(bytes, count, value->integers);
      return value;
    case Dtype::uint8:
    case Dtype::boolean:
      readIntegers<std::uint8_t>(bytes, count, value->integers);
      return value;
    default:
      return nullptr;
  }
}

std::vector<TensorFacts> inferTflite(const OpFacts&) { return {}; }
std::vector<SmallValue> evaluateTflite(const OpFacts&) { return {}; }

}  // namespace hw
