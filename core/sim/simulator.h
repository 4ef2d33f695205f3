#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/op_timing.h"
#include "core/trace/trace.h"

namespace hw {

/// A run on the machine, from the outside.
struct Timing {
  std::vector<OpTiming> ops{};              ///< By step.
  std::vector<TransferTiming> transfers{};  ///< Between devices, in order.
  SimTime makespan{};
  IdMap<PoolId, Traffic> traffic{};
  std::int64_t macs = 0;
  double energyPicojoules = 0;
  Bytes compulsory{};                ///< Inputs, outputs and streamed weights once each.
  std::uint64_t digest = 0;          ///< Of the whole event stream; equal runs, equal digests.
  std::vector<std::string> notes{};  ///< What could not be timed, and why.
};

struct Simulation {
  Timing timing{};
  Trace trace{};
};

/// Direct mode: ops read and write their tensors where they live; one after the other. Time of an
/// op = max(compute, bytes / bandwidth of every pool) + first-access latency of each pool it uses.
/// Memory events happen at the start (allocations) and the end (releases) of their op, in the order
/// of the plan's story. In a partitioned run, copies between devices precede the op of their step,
/// one after the other. A problem without ops has no times: all happens at 0, step by step.
Simulation simulateDirect(const SimulationInput& input);

}  // namespace hw
