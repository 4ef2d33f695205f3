#pragma once

#include "core/residency/near_stays.h"

namespace hw {

/// Gives the near pool to what saves most far traffic for each byte and step that it holds there: a
/// buffer for all its life, or from one op that touches it to the next, as long as `budget` has
/// room at each of those steps. Kin of the assignment of memory spaces in XLA. Ties: the lower
/// buffer, then the earlier use. O(n log n) for n operands.
NearStays costResidency(const LevelProgram& program, Bytes budget);

}  // namespace hw
