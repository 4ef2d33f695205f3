#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/sim/activity_builder.h"
#include "core/sim/execute.h"

namespace hw {

/// A latency that cannot be undercut, and what says so.
struct LatencyBound {
  SimTime time{};
  std::string binds{};  ///< "unit mac", "port L3 read", "the data flow".
};

/// The price of reused bytes in time: each of them is an order between two activities that the data
/// did not ask for.
struct ReusePrice {
  /// Along the critical path: what each start that reuse causes waits beyond all else. Never
  /// negative.
  SimTime waits{};
  /// Of the latency without contention: what it is more than without those orders. Never negative.
  SimTime bound{};
  /// Of the latency: may be negative, for an order can hold a move back until a port is idle.
  SimTime simulated{};
};

/// The time of an engine, by what it was used for.
struct EngineAccount {
  SimTime busy{};  ///< Over all its channels.
  /// Time in which it could have run one more and its next activity waited, by the rule that this
  /// one waited for last.
  std::array<SimTime, kWaitRuleNames.size()> stalls{};
};

/// Why a run takes as long as it does.
struct LatencyAccount {
  /// No addresses make this plan faster: its stays, moves and order.
  LatencyBound ofPlan{};
  /// No plan of this order of ops is faster, wherever it lets tensors live.
  LatencyBound ofOrder{};
  ReusePrice reuse{};
  /// From the first to the last: each is what the next waited for last. Where it waited for a
  /// start, that activity is not on the path but what it waited for.
  std::vector<ActivityId> criticalPath{};
  std::vector<EngineAccount> engines{};
  std::vector<SimTime> ports{};  ///< Time that each needs for all that goes through it.
  SimTime slowed{};              ///< What sharing ports cost all activities together.
};

/// Accounts for `run`, which is `work` executed with `waits`. Simulates up to three times more:
/// without reuse, without contention, without both. Not all of it where `goOn` says no.
LatencyAccount accountOf(const SimulationInput& input, const PlannedWork& work, const Waits& waits,
                         const Execution& run, const GoOn& goOn = {});

/// From the last end (of several, the later in program order) back by causes.
std::vector<ActivityId> criticalPath(const Execution& run);

/// The bound of any plan of this order whose tensors share storage in this way: what units have to
/// compute, what has to go through far ports, the end of the last op by the data flow. Of tensors
/// only the bytes that ops read and write count: views read none. Near ports bound nothing: an op
/// may work in place in the far pool. Of a plan that lacks addresses, units alone.
LatencyBound boundOfOrder(const SimulationInput& input, const PlannedWork& work);

}  // namespace hw
