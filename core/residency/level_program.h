#pragma once

#include "core/plan/problem.h"
#include "core/residency/near_stays.h"
#include "core/storage/aliasing.h"

namespace hw {

/// What a graph asks of its pools: a step for every op that moves bytes. Graph inputs start far,
/// graph outputs end far. `problem` has the planned sizes, a stay for each buffer, of the same
/// number.
LevelProgram levelProgram(const Graph& graph, const Schedule& schedule, const Storage& storage,
                          const Problem& problem);

/// The same between the far pool and the one behind it, once `stays` are near: loads read, stores
/// write, and what is used in place is used there. O(n log n).
LevelProgram levelBehind(const LevelProgram& program, const std::vector<NearStay>& stays);

}  // namespace hw
