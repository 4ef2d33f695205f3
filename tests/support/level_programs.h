#pragma once

#include <cstdint>
#include <string>

#include "core/residency/near_stays.h"

namespace hw::test {

struct ProgramShape {
  std::size_t steps = 20;
  std::size_t live = 6;  ///< Buffers that ops still choose from.
  std::int64_t maxSize = 12;
  int rewritePercent = 15;  ///< Ops that write into a buffer that is there already.
};

/// Ops that read some of the buffers before and write a new one, or add to an old one.
LevelProgram randomProgram(std::uint64_t seed, const ProgramShape& shape = {});

/// Replays stays and moves, version by version: what is wrong, in a sentence; empty when each
/// operand finds what was written last, the budget holds at every step, outputs end far, and the
/// far traffic is what was moved. Shares no code with who chose the stays.
std::string complaint(const LevelProgram& program, Bytes budget, const NearStays& stays);

/// The least far traffic of all, by trying every set of near buffers at every step, with any moves
/// between. For up to six buffers.
Bytes bruteForceTraffic(const LevelProgram& program, Bytes budget);

/// The same as a mixed-integer program, for `integerProgramOptimum`.
std::string trafficProgram(const LevelProgram& program, Bytes budget);

}  // namespace hw::test
