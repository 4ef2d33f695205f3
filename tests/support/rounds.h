#pragma once

#include <cstdint>

namespace hw::test {

/// How many of `wanted` random problems a property is tried with. Under sanitizers a sixth: each
/// takes ten times as long there, and all of them are tried by the build without.
constexpr std::uint64_t rounds(std::uint64_t wanted) {
#ifdef HW_SANITIZED
  return (wanted + 5) / 6;
#else
  return wanted;
#endif
}

}  // namespace hw::test
