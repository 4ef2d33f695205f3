#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/latency/path_placer.h"
#include "core/latency/reuse_timer.h"

namespace hw {

/// Two stays of which the second took bytes that the first had.
struct ReusePair {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

/// What surrounds each stay in time, as `timer` has just run it: each activity takes as long as it
/// did, slowed or not.
StayTimes stayTimes(const TimedWork& work, const ReuseTimer& timer);

/// The reuse that holds up the run: from the last end back, at every start that waited for another
/// stay's bytes and for nothing else as long, the pairs of stays that made it wait.
std::vector<ReusePair> criticalReuse(const TimedWork& work, const ReuseTimer& timer,
                                     const std::vector<Bytes>& offsets);

}  // namespace hw
