#include "core/ops/small_value.h"

namespace hw {

bool SmallValue::isReal() const {
  return dtype == Dtype::float32 || dtype == Dtype::float64 || dtype == Dtype::float16 ||
         dtype == Dtype::bfloat16;
}

SmallValue SmallValue::pick(const std::vector<std::size_t>& from, Shape newShape) const {
  SmallValue picked{.dtype = dtype, .shape = std::move(newShape)};
  for (const std::size_t index : from) {
    if (isReal()) {
      picked.reals.push_back(reals[index]);
    } else {
      picked.integers.push_back(integers[index]);
    }
  }
  return picked;
}

std::optional<std::int64_t> SmallValue::single() const {
  if (isReal() || integers.size() != 1) return std::nullopt;
  return integers[0];
}

SmallValue integerList(std::vector<std::int64_t> integers) {
  SmallValue value{.shape = {static_cast<std::int64_t>(integers.size())}};
  value.integers = std::move(integers);
  return value;
}

bool isSmall(const Shape& shape) {
  const auto count = elementCount(shape);
  return count && *count <= SmallValue::kMostElements;
}

double roundedTo(Dtype dtype, double value) {
  return dtype == Dtype::float64 ? value : static_cast<double>(static_cast<float>(value));
}

}  // namespace hw
