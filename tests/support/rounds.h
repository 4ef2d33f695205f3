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

/// How often at least something has to be met in so many rounds, if it is `wanted` in all of them.
/// Half as often for its share under sanitizers, where a few problems need not be like all.
constexpr int atLeast(int wanted) {
#ifdef HW_SANITIZED
  return wanted / 12;
#else
  return wanted;
#endif
}

/// True if pair `number` of two catalogues is tried. Under sanitizers every seventh is, for the
/// same reason; where the inner catalogue is longer and no multiple of seven, each entry of both is
/// met.
constexpr bool isTried(std::uint64_t number) {
#ifdef HW_SANITIZED
  return number % 7 == 0;
#else
  (void)number;
  return true;
#endif
}

}  // namespace hw::test
