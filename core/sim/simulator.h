#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/latency_account.h"
#include "core/sim/op_timing.h"
#include "core/sim/tensor_places.h"
#include "core/trace/trace.h"

namespace hw {

/// A run on the machine, from the outside.
struct Timing {
  std::vector<OpTiming> ops{};              ///< By step.
  std::vector<TransferTiming> transfers{};  ///< Between devices, in order.
  ActivityList activities{};                ///< All that happened, and what of it touches what.
  IdMap<ActivityId, ActivityTime> times{};
  SimTime makespan{};
  LatencyAccount account{};  ///< Why it is that long; empty without ops.
  IdMap<PoolId, Traffic> traffic{};
  std::int64_t macs = 0;
  double energyPicojoules = 0;                ///< Of all bytes moved.
  IdMap<PoolId, double> picojoulesPerByte{};  ///< By pool, like `traffic`.
  Bytes compulsory{};                         ///< Inputs, outputs and streamed weights once each.
  std::uint64_t digest = 0;          ///< Of all that happened, in order: equal runs, equal digests.
  std::vector<std::string> notes{};  ///< What could not be timed, and why.

  /// Picojoules that so many bytes moved in a pool take.
  double energyOf(PoolId pool, Bytes moved) const { return moved.real() * picojoulesPerByte[pool]; }
};

struct Simulation {
  Timing timing{};
  Trace trace{};
};

/// Plays a plan on its machine: its activities, ordered by what they touch, on units and engines,
/// slowed by shared ports (docs/machine.md). Where all devices do one thing after the other, memory
/// events are the plan's story; elsewhere the run's own. Empty where `input.goOn` says no.
Simulation simulate(const SimulationInput& input);
/// The latency that `simulate` would give, without its events and accounts.
SimTime latencyOf(const SimulationInput& input);

}  // namespace hw
