#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"
#include "core/memory/memory_model.h"
#include "core/plan/plan.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"
#include "core/trace/trace.h"

namespace hw {

/// What a byte moved was for.
enum class TrafficClass : std::uint8_t { input, output, intermediate, weight };
inline constexpr std::size_t kTrafficClasses = 4;
std::string_view trafficClassName(TrafficClass kind);

/// Bytes one pool moved, by direction and class.
struct Traffic {
  std::array<Bytes, kTrafficClasses> read{};
  std::array<Bytes, kTrafficClasses> written{};
  Bytes total() const;
  Traffic& operator+=(const Traffic& other);
};

/// What decides how long an op takes.
enum class Bottleneck : std::uint8_t { nothing, compute, l2, l3 };
std::string_view bottleneckName(Bottleneck bottleneck);

/// One op on the machine.
struct OpTiming {
  Interval<SimTime> time{};
  std::int64_t macs = 0;
  std::int64_t elements = 0;      ///< Element operations where there are no MACs.
  SimTime compute{};              ///< Time the unit alone would take.
  IdMap<PoolId, SimTime> memory{};  ///< Time each pool's bandwidth alone would take.
  SimTime latency{};              ///< First accesses.
  IdMap<PoolId, Traffic> traffic{};
  Bottleneck bottleneck = Bottleneck::nothing;
  std::uint32_t unit = 0;         ///< Index into the device's units.
};

/// A run on the machine, from the outside.
struct Timing {
  std::vector<OpTiming> ops{};       ///< By step.
  SimTime makespan{};
  IdMap<PoolId, Traffic> traffic{};
  std::int64_t macs = 0;
  double energyPicojoules = 0;
  Bytes compulsory{};                ///< Inputs, outputs and weights once each.
  std::uint64_t digest = 0;          ///< Of the whole event stream; equal runs, equal digests.
  std::vector<std::string> notes{};  ///< What could not be timed, and why.
};

struct SimulationInput {
  const Graph& graph;
  const Schedule& schedule;
  const Storage& storage;
  const Problem& problem;
  const Plan& plan;
  const Platform& platform;
  bool streamWeights = true;  ///< false: weights are resident and cost nothing.
};

struct Simulation {
  Timing timing{};
  Trace trace{};
};

/// Direct mode: ops read and write their tensors where they live; one after the other. Time of an
/// op = max(compute, bytes / bandwidth of every pool) + first-access latency of each pool it uses.
/// Memory events happen at the start (allocations) and the end (releases) of their op.
Simulation simulateDirect(const SimulationInput& input);

}  // namespace hw
