#pragma once

#include <cstddef>
#include <cstdint>

#include "core/plan/problem.h"

namespace hw::test {

// The synthetic kinds that planners are measured on. Of any size, up to millions of stays; one
// unbounded pool; alignment 1; ids ascend with the first step. The same seed gives the same
// problem.

/// No structure at all: uniform start over `stays` steps, length 1 + Exp(32) steps, 64 x 2^U(0,14)
/// bytes. About 32 stays are live at a time, most of the bytes in a few of them.
Problem randProblem(std::size_t stays, std::uint64_t seed);

/// Like an inference: eight stays begin at a step on average and live one to three steps, in 32
/// sizes that come back again and again (64 bytes to 1 MiB, the larger the rarer).
Problem inferProblem(std::size_t stays, std::uint64_t seed);

/// A rectangle of 64 MiB x `stays` steps that is cut in two again and again (a guillotine tiling),
/// the tiles shuffled: the lower bound is 64 MiB, and the optimum meets it. Sizes are multiples of
/// 64 bytes.
Problem tileProblem(std::size_t stays, std::uint64_t seed);

}  // namespace hw::test
