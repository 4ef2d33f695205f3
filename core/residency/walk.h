#pragma once

#include "core/residency/near_stays.h"

namespace hw {

/// Who leaves the near pool when an operand needs room there.
enum class LeavingRule : std::uint8_t {
  all,       ///< All that the op does not touch: layer by layer.
  oldest,    ///< What was touched longest ago (LRU).
  furthest,  ///< What is read again furthest away, best of all what never is (Belady 1966).
};

/// Goes through the program and brings every operand near, with at most `budget` bytes there at any
/// step: who has to make room leaves by `rule`, stored first if nobody has stored what it holds.
/// Operands that exceed the budget together are used in place in the far pool, the largest first.
/// What is never read again leaves after its op. Ties: what needs no store first, then the larger,
/// then the lower id. O(n log n) for n operands.
NearStays walkResidency(const LevelProgram& program, Bytes budget, LeavingRule rule);

}  // namespace hw
