#pragma once

#include <cstdint>

namespace hw {

/// Between the numbers whose scrambles make a good row of random numbers.
inline constexpr std::uint64_t kScrambleStep = 0x9E3779B97F4A7C15ULL;

/// Spreads 64 bits: numbers that are alike become unlike (the finalizer of splitmix64, Steele, Lea
/// and Flood 2014).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += kScrambleStep;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace hw
