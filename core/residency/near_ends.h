#pragma once

#include "core/residency/near_stays.h"

namespace hw {

/// Says so of all that starts far (`inputs`) and all that ends far (`outputs`).
void allowNearEnds(LevelProgram& program, bool inputs, bool outputs);

/// Lets buffers that may be near as the run begins, or ends, be so where `budget` leaves room: the
/// first stay of one that begins with a load begins with the run instead, and is stored where it is
/// needed again behind; the last one lasts to the end instead of being stored. Not for what ops
/// write into an input. `near` is an answer for `program` within that budget, and stays one; what
/// it knows of others is dropped when it moves less than they may. O(n log n).
void keepEndsNear(const LevelProgram& program, Bytes budget, NearStays& near);

}  // namespace hw
