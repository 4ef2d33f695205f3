#pragma once

#include <functional>
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
/// its own, captures included. An overlap, an early release or a wrong alias shows as corrupted
/// bytes; memory is scrubbed when a stay begins and when it ends. Outputs that alias an input are
/// verified instead of written. Graph inputs are there before step 0, graph outputs are verified
/// after the last step. In a bare planning problem each stay is written where it begins and
/// verified at its last step, gaps included. A stay without a place inside its pool is a finding
/// and the rest is not played. Of operators that run in parts, what they read and make is held
/// against the graph they come from first (core/check/parts). Shares no code with planners or
/// `validate`.
///
/// If the arenas would exceed `maxArena` together, and of bytes that only one stay ever has, only
/// some behind every edge of a stay, tensor or slice are allocated. That keeps every overlap,
/// see ReplayMemory. `progress` is told now and then which part is done; it may be empty.
std::vector<Corruption> replayBytes(const Run& run, Bytes maxArena, std::size_t limit = 20,
                                    const std::function<void(double)>& progress = {});

}  // namespace hw
