#include "core/graph/dtype.h"

#include <algorithm>
#include <array>

namespace hw {
namespace {

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;
  int bits;
};

constexpr std::array kDtypes = {
    DtypeInfo{Dtype::unknown, "unknown", 0},
    DtypeInfo{Dtype::float32, "float32", 32},
    DtypeInfo{Dtype::float64, "float64", 64},
    DtypeInfo{Dtype::float16, "float16", 16},
    DtypeInfo{Dtype::bfloat16, "bfloat16", 16},
    DtypeInfo{Dtype::float8, "float8", 8},
    DtypeInfo{Dtype::int4, "int4", 4},
    DtypeInfo{Dtype::uint4, "uint4", 4},
    DtypeInfo{Dtype::int8, "int8", 8},
    DtypeInfo{Dtype::uint8, "uint8", 8},
    DtypeInfo{Dtype::int16, "int16", 16},
    DtypeInfo{Dtype::uint16, "uint16", 16},
    DtypeInfo{Dtype::int32, "int32", 32},
    DtypeInfo{Dtype::uint32, "uint32", 32},
    DtypeInfo{Dtype::int64, "int64", 64},
    DtypeInfo{Dtype::uint64, "uint64", 64},
    DtypeInfo{Dtype::boolean, "bool", 8},
    DtypeInfo{Dtype::complex64, "complex64", 64},
    DtypeInfo{Dtype::complex128, "complex128", 128},
    DtypeInfo{Dtype::string, "string", 0},
    DtypeInfo{Dtype::opaque, "opaque", 0},
    DtypeInfo{Dtype::float4, "float4", 4},
    DtypeInfo{Dtype::int2, "int2", 2},
    DtypeInfo{Dtype::uint2, "uint2", 2},
};

}  // namespace

std::string_view dtypeName(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].name; }

std::optional<Dtype> parseDtype(std::string_view name) {
  const auto info = std::ranges::find(kDtypes, name, &DtypeInfo::name);
  if (info == kDtypes.end()) return std::nullopt;
  return info->dtype;
}

int dtypeBits(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].bits; }

std::optional<Bytes> packedSize(Dtype dtype, std::int64_t elements) {
  const int bits = dtypeBits(dtype);
  if (bits == 0 || elements < 0) return std::nullopt;
  const auto total = checkedMul(elements, bits);
  if (!total) return std::nullopt;
  const Bytes bytes(*total / 8 + (*total % 8 != 0 ? 1 : 0));
  if (bytes > kMaxBytes) return std::nullopt;
  return bytes;
}

}  // namespace hw
