#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"
#include "core/machine/memory_model.h"
#include "core/plan/plan.h"
#include "core/residency/partition.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"

namespace hw {

/// What a byte moved was for.
enum class TrafficClass : std::uint8_t { input, output, intermediate, weight };
inline constexpr std::size_t kTrafficClasses = 4;
inline constexpr std::array<TrafficClass, kTrafficClasses> kEveryTrafficClass = {
    TrafficClass::input, TrafficClass::output, TrafficClass::intermediate, TrafficClass::weight};
std::string_view trafficClassName(TrafficClass kind);

/// Bytes moved are cut off here, so that adding them up never overflows.
inline constexpr Bytes kMaxTraffic{(std::int64_t{1} << 62) - 1};

/// a + b, at most kMaxTraffic.
Bytes addMoved(Bytes a, Bytes b);

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
  std::int64_t elements = 0;        ///< Element operations where there are no MACs.
  SimTime compute{};                ///< Time the unit alone would take.
  IdMap<PoolId, SimTime> memory{};  ///< Time each pool's bandwidth alone would take.
  SimTime latency{};                ///< First accesses.
  IdMap<PoolId, Traffic> traffic{};
  Bottleneck bottleneck = Bottleneck::nothing;
  std::uint32_t unit = 0;  ///< Index into the device's units.
};

/// What a simulation looks at: one model, planned, on one machine.
struct SimulationInput {
  const Graph& graph;
  const Schedule& schedule;
  const Storage& storage;
  const Problem& problem;
  const Plan& plan;
  const Platform& platform;
  bool streamWeights = true;  ///< false: weights are resident and cost nothing.
  /// Which op runs where, for a run over several devices; null: all on the first device.
  const Partition* partition = nullptr;
};

/// The pools that a run's problem has, in its order: those of the first device, or of all devices
/// one after the other when the run is partitioned.
std::vector<PoolSpec> poolsOf(const SimulationInput& input);

/// One copy between devices on the machine.
struct TransferTiming {
  StayId from{};
  StayId to{};
  Step step{};
  Bytes bytes{};
  Interval<SimTime> time{};
};

/// Times the ops of a run in direct mode, on the platform's first device or where the partition put
/// them. Every distinct tensor an
/// op reads moves once, and every output once, in the pool that its buffer lives in; weights and
/// what lives outside the plan move in the device's last pool, its L3. A concat or
/// split moves only what its storage still copies; an op that only aliases, or is folded, moves
/// nothing.
class OpTimer {
 public:
  explicit OpTimer(const SimulationInput& input);

  /// How long `op` takes at `step`, as if it started at time 0.
  OpTiming time(OpId op, Step step);

  /// How long a copy takes that reads one pool while it writes another, and what it moves.
  TransferTiming time(const DeviceTransfer& transfer, IdMap<PoolId, Traffic>& traffic);

  /// What could not be timed: one sentence a cause, with how often and the first case.
  std::vector<std::string> notes() const;

 private:
  struct Cause {
    std::string what{};   ///< "%n ops ..." without the number.
    std::string first{};  ///< The first case.
    std::size_t count = 0;
  };

  void note(const std::string& what, const std::string& first);
  void addTraffic(OpId op, Step step, OpTiming& timing);
  void addCopies(OpId op, Step step, OpTiming& timing);
  void move(TensorId tensor, Bytes bytes, Step step, bool write, OpTiming& timing);
  PoolId poolOf(TensorId tensor, Step step);
  void enterDevice(OpId op);
  bool onDevice(PoolId pool) const;
  StayId stayOn(BufferId buffer, DeviceIndex device, Step step) const;
  TrafficClass classOf(TensorId tensor) const;
  std::uint32_t unitFor(const std::string& type);
  void addMemoryTime(OpTiming& timing) const;

  const SimulationInput& input_;
  std::vector<PoolSpec> pools_;
  const DeviceSpec* device_;   ///< Of the op being timed.
  std::size_t firstPool_ = 0;  ///< Its first among `pools_`.
  PoolId far_;                 ///< Where its weights live.
  IdMap<BufferId, std::vector<StayId>> staysOf_;
  IdMap<OpId, std::vector<CopyNote>> copiesOf_;
  std::vector<Cause> causes_;
};

}  // namespace hw
