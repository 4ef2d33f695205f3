#pragma once

#include <string>
#include <vector>

#include "core/ops/constant_reads.h"
#include "core/sim/activity.h"
#include "core/sim/op_timing.h"
#include "core/sim/tensor_places.h"

namespace hw {

/// Bytes that go through a pool, in whole bursts.
struct PoolUse {
  Bytes read{};
  Bytes written{};
};

/// What one op asks of the machine.
struct OpWork {
  OpTiming timing{};  ///< As if it started at time 0, without contention.
  bool idle = false;  ///< It only aliases, or is folded: it does nothing.
  IdMap<PoolId, PoolUse> uses{};
  std::vector<Access> accesses{};
  std::vector<TensorId> loose{};  ///< What it reads that has no address.
};

/// Causes of what could not be timed: one sentence a cause, with how often and the first case.
class TimingNotes {
 public:
  /// `what` without its number: "ops ...".
  void add(const std::string& what, const std::string& first);
  std::vector<std::string> sentences() const;

 private:
  struct Cause {
    std::string what{};
    std::string first{};
    std::size_t count = 0;
  };
  std::vector<Cause> causes_;
};

/// Says what ops ask of the machine. Every distinct tensor an op reads moves once, and every output
/// once, in the pool where its device finds it; of a weight only what ConstantReads says. Weights
/// and what lives outside the plan move in the device's last pool. A concat or split moves only
/// what its storage still copies; an op that only aliases, or is folded, moves nothing. `input` and
/// `places` outlive it.
class OpWorker {
 public:
  OpWorker(const SimulationInput& input, const TensorPlaces& places, TimingNotes& notes);

  OpWork work(OpId op, Step step);

  /// What bytes of `tensor` are for, where an op moves them.
  TrafficClass classOf(TensorId tensor) const;

 private:
  struct At {
    Step step{};
    std::uint32_t device = 0;
  };

  const DeviceSpec& device(const At& at) const { return input_.platform.devices[at.device]; }
  void addTraffic(OpId op, const At& at, OpWork& work);
  /// Returns how many elements are copied.
  std::int64_t addCopies(OpId op, const At& at, OpWork& work);
  /// Returns `elements` and those written.
  std::int64_t addOwnOutputs(OpId op, const At& at, std::int64_t elements, OpWork& work);
  void move(TensorId tensor, Interval<Bytes> bytes, bool write, const At& at, OpWork& work);
  Bytes sizeOf(TensorId tensor) const;
  /// With those of `tensor`, as long as they can be counted.
  std::int64_t elementsWith(std::int64_t elements, TensorId tensor) const;
  std::uint32_t unitFor(const std::string& type, const At& at);
  void addMemoryTime(OpWork& work) const;

  const SimulationInput& input_;
  const TensorPlaces& places_;
  TimingNotes& notes_;
  IdMap<OpId, std::vector<CopyNote>> copiesOf_;
  ConstantReads constants_;
};

}  // namespace hw
