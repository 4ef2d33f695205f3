#include "core/sim/latency_account.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/sim/byte_map.h"
#include "core/sim/contention.h"
#include "core/sim/cost_model.h"

namespace hw {
namespace {

void raise(LatencyBound& bound, SimTime time, const std::string& binds) {
  if (time > bound.time) bound = {time, binds};
}

/// Time that each port needs for all that goes through it: those of the list, then engines.
std::vector<SimTime> portTimes(const ActivityList& list) {
  std::vector<SimTime> times(list.ports.size() + list.engines.size());
  for (const Activity& activity : list.activities) {
    for (const auto& [port, time] : flowNeed(list, activity).ports) {
      times[port] = addTime(times[port], time);
    }
  }
  return times;
}

std::vector<EngineAccount> engineAccounts(const ActivityList& list, const Execution& run) {
  std::vector<EngineAccount> engines(list.engines.size());
  for (const ActivityId id : list.activities.keys()) {
    const std::uint32_t engine = list.activities[id].engine;
    if (engine == Activity::kNoEngine) continue;
    const ActivityTime& time = run.times[id];
    engines[engine].busy = addTime(engines[engine].busy, time.end - time.start);
    if (!time.cause || time.idle >= time.start) continue;
    SimTime& stall = engines[engine].stalls[static_cast<std::size_t>(time.cause->rule)];
    stall = addTime(stall, time.start - time.idle);
  }
  return engines;
}

/// From `last` back: activities whose starts decide, those that others only waited to start among
/// them.
template <class Visit>
void followCauses(const Execution& run, const Visit& visit) {
  if (run.times.empty()) return;
  ActivityId at;
  for (const ActivityId id : run.times.keys()) {
    if (!at || run.times[id].end >= run.times[at].end) at = id;
  }
  bool ends = true;  // Its end is what was waited for, not its start.
  while (at) {
    visit(at, ends);
    const auto& cause = run.times[at].cause;
    if (!cause) return;
    ends = cause->rule != WaitRule::order;
    at = cause->activity;
  }
}

SimTime waitsForReuse(const Execution& run) {
  SimTime sum;
  followCauses(run, [&](ActivityId id, bool) {
    const ActivityTime& time = run.times[id];
    if (time.cause && time.cause->rule == WaitRule::reuse) {
      sum = addTime(sum, time.start - time.ready);
    }
  });
  return sum;
}

/// A lower bound on the latency of all plans of one order of ops with one way of sharing storage.
class OrderBound {
 public:
  OrderBound(const SimulationInput& input, const PlannedWork& work)
      : input_(input),
        work_(work),
        machine_(machinePools(input.platform, work.list.devices.size())),
        ends_(input.graph.ops.size()),
        fetched_(input.graph.tensors.size()),
        bytes_(input.storage.buffers.size()) {
    for (const auto& pools : machine_.ofDevice) {
      const PoolSpec& far = *machine_.pools[pools.back()].spec;
      reading_ = fastest(reading_, far.readBandwidth);
      writing_ = fastest(writing_, far.writeBandwidth);
    }
    if (!input.outputsFar) return;
    for (const TensorId id : input.graph.outputs) {
      if (const auto bytes = bytesOf(id)) {
        visit(id, *bytes, [](BufferByte& byte, const auto&) { byte.leaves = true; });
      }
    }
  }

  LatencyBound find() {
    addUnits();
    // Stays without an address are not moved: then less is waited for.
    const bool whole = std::ranges::all_of(work_.list.stays,
                                           [](const PlacedStay& stay) { return bool(stay.pool); });
    if (!whole) return std::move(bound_);
    const LatencyBound flow = followData();
    if (work_.list.contention != Contention::none) addFarPorts();
    raise(bound_, flow.time, flow.binds);
    return std::move(bound_);
  }

 private:
  /// A byte of a buffer.
  struct BufferByte {
    SimTime written{};    ///< When the op that wrote it last ends.
    bool leaves = false;  ///< It is of a graph output and has to end in the far pool.
    bool counted = false;
    friend bool operator==(const BufferByte&, const BufferByte&) = default;
  };
  /// The reads of a tensor that starts in the far pool.
  struct Fetched {
    Step step{-1};  ///< Of the last of them.
    Bytes now{};    ///< By that op.
    Bytes most{};   ///< By one op.
  };

  /// Of bandwidths; 0 takes no time.
  static std::int64_t fastest(std::optional<std::int64_t> a, std::int64_t b) {
    return a && (*a == 0 || b == 0) ? 0 : std::max(a.value_or(b), b);
  }

  static SimTime floorTime(Bytes bytes, std::int64_t bandwidth) {
    if (bandwidth <= 0) return {};
    const Wide time = Wide{bytes.count()} * 1'000'000'000'000 / bandwidth;
    return SimTime(static_cast<std::int64_t>(std::min(time, Wide{kMaxTime.count()})));
  }

  std::optional<Interval<Bytes>> bytesOf(TensorId tensor) const {
    if (!input_.storage.bufferOf(tensor)) return std::nullopt;
    const Bytes begin = input_.storage.offsetOf(tensor);
    return Interval<Bytes>{begin, begin + input_.graph.tensors[tensor].bytes.value_or(Bytes())};
  }

  template <class Visit>
  void visit(TensorId tensor, const Interval<Bytes>& bytes, const Visit& visit) {
    bytes_[input_.storage.bufferOf(tensor)].visit(bytes, visit);
  }

  /// Has to come from the far pool, whatever the plan.
  bool startsFar(TensorId id) const {
    const Tensor& tensor = input_.graph.tensors[id];
    if (tensor.constant) return input_.streamWeights;
    const bool outside = !input_.storage.bufferOf(id);
    return tensor.graphInput && (input_.inputsFar || outside) && !tensor.producer;
  }

  void addUnits() {
    std::vector<Wide> sums(work_.list.engines.size());
    for (const Activity& activity : work_.list.activities) {
      if (activity.kind == ActivityKind::compute) sums[activity.engine] += activity.compute.count();
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const Engine& engine = work_.list.engines[i];
      const Wide time = std::min(sums[i] / engine.channels, Wide{kMaxTime.count()});
      raise(bound_, SimTime(static_cast<std::int64_t>(time)), "unit " + engine.name);
    }
  }

  /// Bytes that every plan moves at the far ports, once each. Only where one device has them all:
  /// of several, the plan says which far pool it is.
  void addFarPorts() {
    if (work_.list.devices.size() != 1) return;
    Bytes read;
    for (const Fetched& fetched : fetched_) read += fetched.most;
    const PoolSpec& pool = *machine_.pools[machine_.ofDevice.front().back()].spec;
    const SimTime early = earlyBy(work_.list.activities.size());
    const SimTime reading = floorTime(read, pool.readBandwidth) - early;
    const SimTime writing = floorTime(left_, pool.writeBandwidth) - early;
    if (pool.fullDuplex) {
      raise(bound_, reading, "port " + pool.name + " read");
      raise(bound_, writing, "port " + pool.name + " write");
    } else {
      raise(bound_, addTime(reading, writing), "port " + pool.name);
    }
  }

  /// An op starts when all bytes that it reads are written; it ends when it has computed and what
  /// comes from the far pool could be there.
  LatencyBound followData() {
    LatencyBound bound{{}, "the data flow"};
    for (const OpId op : input_.schedule.order) {
      const Step step = input_.schedule.stepOf[op];
      const auto at = static_cast<std::size_t>(step.count());
      if (!work_.activityAt[at]) {
        ends_[op] = input_.graph.ops[op].folded ? SimTime() : makersEnd(op);
        continue;
      }
      SimTime start;
      SimTime arrival;
      for (const TensorUse& use : work_.operands[at]) {
        if (use.write) continue;
        start = std::max(start, readyAt(use));
        arrival = std::max(arrival, arrivalOf(use, step));
      }
      ends_[op] = std::max(addTime(start, work_.ops[at].compute), arrival);
      SimTime last = ends_[op];
      for (const TensorUse& use : work_.operands[at]) {
        if (!use.write) continue;
        last = std::max(last, addTime(start, floorTime(write(use, ends_[op]), *writing_)));
      }
      bound.time = std::max(bound.time, last);
    }
    return bound;
  }

  /// When all that makes what an op reads is over.
  SimTime makersEnd(OpId op) const {
    SimTime end;
    for (const TensorId tensor : input_.graph.reads(op)) end = std::max(end, makerEnd(tensor));
    return end;
  }
  SimTime makerEnd(TensorId tensor) const {
    const OpId producer = input_.graph.tensors[tensor].producer;
    return producer ? ends_[producer] : SimTime();
  }

  SimTime readyAt(const TensorUse& use) {
    if (input_.graph.tensors[use.tensor].constant) return {};
    if (use.loose) return makerEnd(use.tensor);
    SimTime ready;
    visit(use.tensor, use.inBuffer,
          [&](const BufferByte& byte, const auto&) { ready = std::max(ready, byte.written); });
    return ready;
  }

  SimTime arrivalOf(const TensorUse& use, Step step) {
    if (!startsFar(use.tensor)) return {};
    Fetched& fetched = fetched_[use.tensor];
    if (fetched.step != step) fetched.now = {};
    fetched.step = step;
    // Brought near, it comes once, however often an op reads the same bytes.
    const Bytes size = input_.graph.tensors[use.tensor].bytes.value_or(Bytes());
    fetched.now = std::min(fetched.now + use.moved, size);
    fetched.most = std::max(fetched.most, fetched.now);
    return floorTime(fetched.now, *reading_);
  }

  /// Returns how many of the bytes have to end in the far pool.
  Bytes write(const TensorUse& use, SimTime end) {
    if (!input_.storage.bufferOf(use.tensor)) {
      const Bytes bytes = input_.graph.tensors[use.tensor].graphOutput ? use.moved : Bytes();
      left_ += bytes;
      return bytes;
    }
    Bytes leaving;
    Bytes first;
    visit(use.tensor, use.inBuffer, [&](BufferByte& byte, const Interval<Bytes>& bytes) {
      if (byte.leaves) leaving += bytes.length();
      if (byte.leaves && !byte.counted) first += bytes.length();
      byte.counted = byte.leaves;
      byte.written = end;
    });
    left_ += std::min(first, use.moved);
    return std::min(leaving, use.moved);
  }

  const SimulationInput& input_;
  const PlannedWork& work_;
  MachinePools machine_;
  /// Of the fastest far pool of all devices.
  std::optional<std::int64_t> reading_{};
  std::optional<std::int64_t> writing_{};
  IdMap<OpId, SimTime> ends_;
  IdMap<TensorId, Fetched> fetched_;
  IdMap<BufferId, ByteMap<BufferByte>> bytes_;
  Bytes left_{};  ///< Written to outputs that end in the far pool.
  LatencyBound bound_{{}, "nothing"};
};

/// The bound of this plan, and what reuse costs; a run that does one thing after the other is its
/// own bound.
void addReuse(const ActivityList& list, const Waits& waits, const Execution& run, const GoOn& goOn,
              LatencyAccount& account) {
  account.ofPlan = {run.makespan, "one thing after the other"};
  if (list.sequential()) return;
  const Waits fewer = waits.without(WaitRule::reuse);
  double done = 0;
  const auto makespan = [&](const Waits& some, Contention contention) {
    const Execution other = execute(list, some, contention,
                                    [&](double part) { return !goOn || goOn(done + part / 3); });
    done += 1.0 / 3;
    return other.makespan;
  };
  const SimTime ideal = makespan(fewer, Contention::none);
  account.ofPlan = {ideal, "what waits for what without reuse"};
  account.reuse.waits = waitsForReuse(run);
  account.reuse.bound = makespan(waits, Contention::none) - ideal;
  account.reuse.simulated = run.makespan - makespan(fewer, list.contention);
  if (list.contention == Contention::none) return;
  for (std::size_t i = 0; i < account.ports.size(); ++i) {
    const bool port = i < list.ports.size();
    const std::string name =
        port ? "port " + list.ports[i].name : "engine " + list.engines[i - list.ports.size()].name;
    raise(account.ofPlan, account.ports[i] - earlyBy(list.activities.size()), name);
  }
}

}  // namespace

std::vector<ActivityId> criticalPath(const Execution& run) {
  std::vector<ActivityId> path;
  followCauses(run, [&](ActivityId id, bool ends) {
    if (ends) path.push_back(id);
  });
  std::ranges::reverse(path);
  return path;
}

LatencyBound boundOfOrder(const SimulationInput& input, const PlannedWork& work) {
  return OrderBound(input, work).find();
}

LatencyAccount accountOf(const SimulationInput& input, const PlannedWork& work, const Waits& waits,
                         const Execution& run, const GoOn& goOn) {
  LatencyAccount account;
  const ActivityList& list = work.list;
  if (list.activities.empty()) return account;
  account.ports = portTimes(list);
  account.engines = engineAccounts(list, run);
  for (const ActivityId id : list.activities.keys()) {
    const ActivityTime& time = run.times[id];
    const SimTime alone = addTime(list.activities[id].fixed, time.flow);
    account.slowed = addTime(account.slowed, std::max(time.end - time.start - alone, SimTime()));
  }
  account.criticalPath = criticalPath(run);
  addReuse(list, waits, run, goOn, account);
  account.ofOrder = boundOfOrder(input, work);
  check(account.ofPlan.time <= run.makespan && account.ofOrder.time <= run.makespan,
        "a latency that is not below its bounds");
  return account;
}

}  // namespace hw
