#pragma once

#include <cstdint>

namespace hw::test {

#ifdef HW_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of `wanted` random problems a property is tried with. Under sanitizers a sixth: each
/// takes ten times as long there, and all of them are tried by the build without.
constexpr std::uint64_t rounds(std::uint64_t wanted) {
  return kSanitized ? (wanted + 5) / 6 : wanted;
}

/// How often at least something has to be met in so many rounds, if it is `wanted` in all of them.
/// Half as often for its share under sanitizers, where a few problems need not be like all.
constexpr int atLeast(int wanted) { return kSanitized ? wanted / 12 : wanted; }

/// True if pair `number` of two catalogues is tried. Under sanitizers every seventh is, for the
/// same reason; where the inner catalogue is longer and no multiple of seven, each entry of both is
/// met.
constexpr bool isTried(std::uint64_t number) { return !kSanitized || number % 7 == 0; }

}  // namespace hw::test
