#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/quantity.h"

namespace hw {

/// The element type of a tensor. Opaque covers what has no size ahead of time: sequences,
/// optionals, maps, resources.
enum class Dtype : std::uint8_t {
  unknown,
  float32,
  float64,
  float16,
  bfloat16,
  float8,
  int4,
  uint4,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  complex64,
  complex128,
  string,
  opaque,
  float4,
  int2,
  uint2,
};

/// "float32", "bool", …: the spelling of graph JSON.
std::string_view dtypeName(Dtype dtype);

/// The inverse of `dtypeName`; nothing for a name it does not know.
std::optional<Dtype> parseDtype(std::string_view name);

/// Bits of one element, 0 when it has no fixed size (string, opaque, unknown).
int dtypeBits(Dtype dtype);

/// Bytes of `elements` elements packed without padding (sub-byte types share bytes); nothing when
/// the type has no fixed size or the answer exceeds kMaxBytes.
std::optional<Bytes> packedSize(Dtype dtype, std::int64_t elements);

}  // namespace hw
