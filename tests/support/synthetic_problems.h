#pragma once

#include <fmt/format.h>

#include "core/families/family.h"

namespace hw::test {

// The kinds that planners are measured on at any size, up to millions of stays.

/// About 32 stays live at a time, most of the bytes in a few of them.
inline Problem randProblem(std::size_t stays, std::uint64_t seed) {
  return generateProblem(fmt::format("scattered:buffers={},seed={}", stays, seed)).problem;
}

inline Problem inferProblem(std::size_t stays, std::uint64_t seed) {
  return generateProblem(fmt::format("inference:buffers={},seed={}", stays, seed)).problem;
}

/// Every step is full: the lower bound is 64 MiB, and the optimum meets it.
inline Problem tileProblem(std::size_t stays, std::uint64_t seed) {
  return generateProblem(
             fmt::format("guillotine:buffers={},height=64MiB,sizes=multiples,seed={}", stays, seed))
      .problem;
}

}  // namespace hw::test
