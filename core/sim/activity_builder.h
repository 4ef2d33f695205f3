#pragma once

#include <string>
#include <vector>

#include "core/sim/activity.h"
#include "core/sim/op_timing.h"
#include "core/sim/tensor_places.h"

namespace hw {

/// The activities of a run, before they have times.
struct PlannedWork {
  ActivityList list{};
  std::vector<OpTiming> ops{};                     ///< By step; their times as if each began at 0.
  std::vector<ActivityId> activityAt{};            ///< By step: the op's; none: it does nothing.
  std::vector<std::vector<TensorUse>> operands{};  ///< By step, of the op; none: it does nothing.
  IdMap<PoolId, Traffic> traffic{};                ///< Of ops and moves.
  std::vector<std::string> notes{};                ///< What could not be timed, and why.
};

/// The activities of a planned run, in program order: by step, in a step loads and copies, the op,
/// stores; a move behind the one of the same step that opens what it reads; then by buffer and
/// stay. A plan without moves has computes only, and the copies of its partition.
PlannedWork plannedWork(const SimulationInput& input);

}  // namespace hw
