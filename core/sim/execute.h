#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/sim/hazards.h"

namespace hw {

/// The last wait of an activity, of everything it waited for.
struct Cause {
  WaitRule rule{};
  ActivityId activity{};
  friend bool operator==(const Cause&, const Cause&) = default;
};

/// When an activity ran.
struct ActivityTime {
  SimTime start{};
  SimTime end{};
  SimTime flow{};  ///< What it takes behind its fixed part without contention.
  /// When everything but reused bytes would have let it start; `start` where those held no longer.
  SimTime ready{};
  /// Since when its engine could have run one more, and this is its next.
  SimTime idle{};
  std::optional<Cause> cause{};  ///< None: it starts at 0.
};

/// An activity starts or ends.
struct ActivityTurn {
  SimTime time{};
  ActivityId activity{};
  bool starts = false;
};

struct Execution {
  IdMap<ActivityId, ActivityTime> times{};
  std::vector<ActivityTurn> log{};  ///< In the order in which they are handled.
  SimTime makespan{};
  bool stopped = false;  ///< It ended early, because `goOn` said no: the rest has no times.
};

/// Says whether work goes on; it is called now and then with the part that is done, from 0 to 1.
using GoOn = std::function<bool(double done)>;

/// Gives every activity its time. An activity starts as soon as all that it waits for has happened:
/// `waits`; room on its engine, which starts its activities in program order; and what its device's
/// issue says. Then its fixed part passes, and it flows, as fast as the ports and `contention` let
/// it. At one instant ends come first, in program order; then, again and again, the first activity
/// that may start starts. Every wait is for an earlier activity, so it always ends,
/// unless `goOn`, asked every few thousand turns, says no.
Execution execute(const ActivityList& list, const Waits& waits, Contention contention,
                  const GoOn& goOn = {});

}  // namespace hw
