#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/activity_builder.h"
#include "core/sim/execute.h"
#include "core/trace/trace.h"

namespace hw {

/// A story with times, and one number for all that happened, in order: equal runs, equal digests.
struct TimedStory {
  Trace trace{};
  std::uint64_t digest = 0;
  std::vector<std::string> notes{};  ///< What holds no memory, and why.
};

/// The plan's story in time, for runs that do one thing after the other: what makes room for a step
/// happens as it begins, what it gives up as it ends. A problem without ops has no times: all
/// happens at 0, step by step.
TimedStory planStory(const SimulationInput& input, const PlannedWork& work, const Execution& run);

/// The story that a run tells where things happen side by side: anew, from addresses and lives. A
/// life is an interval of a stay's live steps; it has its bytes from the first start to the last
/// end of what touches it, from 0 if the run opens it, to the end if it outlives; what is written
/// over an input takes over as that op ends. At an end lives end first, then others take over; at a
/// start they begin; in the order of the run's log, by stay. Steps are those of the activities, and
/// may go backwards.
TimedStory runStory(const SimulationInput& input, const PlannedWork& work, const Execution& run);

}  // namespace hw
