#pragma once

#include "core/machine/cost/cost_models.h"
#include "core/sim/op_timing.h"

namespace hw {

// ISO C++ has no 128-bit integer; both compilers of ours do.
__extension__ using Wide = __int128;

/// Facts of an operator that a unit's cost model reads, from its type and what it moves.
CostedOp costedOp(const Graph& graph, OpId id, const OpTiming& timing);

/// Time a unit takes: whole cycles, of which k take floor(k x 10^12 / clock) picoseconds.
SimTime computeTime(const UnitSpec& unit, std::int64_t cycles);

/// Time `bytes` take at `bandwidth` bytes a second, rounded up; none at bandwidth 0.
SimTime transferTime(Bytes bytes, std::int64_t bandwidth);

/// Times are cut off here, so that adding two never overflows. 53 days.
inline constexpr SimTime kMaxTime{(std::int64_t{1} << 62) - 1};

/// a + b, at most kMaxTime.
constexpr SimTime addTime(SimTime a, SimTime b) {
  const SimTime sum = a + b;
  return sum < kMaxTime ? sum : kMaxTime;
}

}  // namespace hw
