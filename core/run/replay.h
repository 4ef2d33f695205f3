#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// One thing the byte-level replay found wrong.
struct Corruption {
  Step step{};
  std::string message{};  ///< Names the reader, the tensor, the first bad byte, who wrote it.
};

/// Executes a run on real bytes: an arena per pool is really allocated; every op writes a pattern
/// of its own into each output at its planned address and verifies the pattern of every input at
/// its own. An overlap, an early release or a wrong alias shows as corrupted bytes. Aliased ops
/// verify instead of writing. Shares no code with planners or `validate`.
/// Scales sizes down (keeping overlaps) when the arenas would exceed `maxArena`.
std::vector<Corruption> replayBytes(const Run& run, Bytes maxArena, std::size_t limit = 20);

}  // namespace hw
