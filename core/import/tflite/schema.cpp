#include "core/import/tflite/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ops/op_table.h"

namespace hw {
namespace {

struct TensorType {
  Dtype dtype;
  int bits;
};

/// By tensor type number.
constexpr std::array kTypes = {
    TensorType{Dtype::float32, 32},   TensorType{Dtype::float16, 16},
    TensorType{Dtype::int32, 32},     TensorType{Dtype::uint8, 8},
    TensorType{Dtype::int64, 64},     TensorType{Dtype::string, 0},
    TensorType{Dtype::boolean, 8},    TensorType{Dtype::int16, 16},
    TensorType{Dtype::complex64, 64}, TensorType{Dtype::int8, 8},
    TensorType{Dtype::float64, 64},   TensorType{Dtype::complex128, 128},
    TensorType{Dtype::uint64, 64},    TensorType{Dtype::opaque, 0},   // Resource.
    TensorType{Dtype::opaque, 0},     TensorType{Dtype::uint32, 32},  // Variant.
    TensorType{Dtype::uint16, 16},    TensorType{Dtype::int4, 4},
    TensorType{Dtype::bfloat16, 16},  TensorType{Dtype::int2, 2},
    TensorType{Dtype::uint4, 4},      TensorType{Dtype::float8, 8},
    TensorType{Dtype::float8, 8},
};

}  // namespace

std::string tfliteOpName(std::int32_t code) {
  const auto found = std::ranges::find(tfliteOps(), code, &NumberedOp::code);
  return found != tfliteOps().end() ? std::string(found->row.type)
                                    : fmt::format("BUILTIN_{}", code);
}

Dtype tfliteDtype(std::int32_t type) {
  const bool known = type >= 0 && type < static_cast<std::int32_t>(kTypes.size());
  return known ? kTypes[static_cast<std::size_t>(type)].dtype : Dtype::unknown;
}

int tfliteBits(std::int32_t type) {
  const bool known = type >= 0 && type < static_cast<std::int32_t>(kTypes.size());
  return known ? kTypes[static_cast<std::size_t>(type)].bits : 0;
}

}  // namespace hw
