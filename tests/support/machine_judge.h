#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sim/simulator.h"

namespace hw::test {

/// What the judge says of one activity.
struct Verdict {
  SimTime start{};
  SimTime end{};
  std::optional<Cause> cause{};
};

/// Works out the times of a list of activities from the rules alone, as slowly as they read: every
/// pair is looked at, and everything again whenever something happens. Shares no code with the
/// simulator but its plain data. For lists up to some hundred activities.
std::vector<Verdict> judgeTimes(const ActivityList& list);

/// The first activity of `timing` whose times or cause the judge does not share, or bytes that two
/// lives hold at one time; empty when there is nothing to say.
std::string judgeFault(const Timing& timing);

/// Bytes of one pool that two lives hold at one time; empty when there are none.
std::string sharedBytes(const ActivityList& list, const std::vector<Verdict>& times);

}  // namespace hw::test
