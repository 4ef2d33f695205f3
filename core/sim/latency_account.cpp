#include "core/sim/latency_account.h"

#include <algorithm>

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

/// What cannot be faster in any plan of one order of ops.
class OrderBound {
 public:
  OrderBound(const SimulationInput& input, const PlannedWork& work)
      : input_(input),
        work_(work),
        machine_(machinePools(input.platform, work.list.devices.size())),
        ends_(input.graph.ops.size()) {}

  LatencyBound find() {
    addUnits();
    if (work_.list.contention != Contention::none) addFarPorts();
    followData();
    return std::move(bound_);
  }

 private:
  const PoolSpec& far(std::uint32_t device) const {
    return *machine_.pools[machine_.ofDevice[device].back()].spec;
  }

  static SimTime floorTime(Bytes bytes, std::int64_t bandwidth) {
    if (bandwidth <= 0) return {};
    const Wide time = Wide{bytes.count()} * 1'000'000'000'000 / bandwidth;
    return SimTime(static_cast<std::int64_t>(std::min(time, Wide{kMaxTime.count()})));
  }

  Bytes sizeOf(TensorId tensor) const {
    return input_.graph.tensors[tensor].bytes.value_or(Bytes());
  }

  /// Has to come from the far pool, whatever the plan.
  bool startsFar(TensorId id) const {
    const Tensor& tensor = input_.graph.tensors[id];
    if (tensor.constant) return input_.streamWeights;
    const bool outside = !input_.storage.bufferOf(id);
    return tensor.graphInput && (input_.inputsFar || outside) && !tensor.producer;
  }
  bool endsFar(TensorId id) const {
    const Tensor& tensor = input_.graph.tensors[id];
    return tensor.graphOutput && (input_.outputsFar || !input_.storage.bufferOf(id));
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
    std::vector<bool> moved(input_.graph.tensors.size());
    Bytes read;
    Bytes written;
    for (const OpId op : input_.schedule.order) {
      if (!work_.activityAt[stepIndex(op)]) continue;
      for (const TensorId tensor : input_.graph.reads(op)) {
        if (!startsFar(tensor) || moved[tensor.index()]) continue;
        moved[tensor.index()] = true;
        read += sizeOf(tensor);
      }
      for (const TensorId tensor : input_.graph.ops[op].outputs) {
        if (tensor && endsFar(tensor)) written += sizeOf(tensor);
      }
    }
    const PoolSpec& pool = far(0);
    const SimTime reading = floorTime(read, pool.readBandwidth);
    const SimTime writing = floorTime(written, pool.writeBandwidth);
    if (pool.fullDuplex) {
      raise(bound_, reading, "port " + pool.name + " read");
      raise(bound_, writing, "port " + pool.name + " write");
    } else {
      raise(bound_, addTime(reading, writing), "port " + pool.name);
    }
  }

  std::size_t stepIndex(OpId op) const {
    return static_cast<std::size_t>(input_.schedule.stepOf[op].count());
  }

  void followData() {
    constexpr const char* kBinds = "the data flow";
    for (const OpId op : input_.schedule.order) {
      const std::uint32_t device = input_.deviceOf(op);
      const bool works = bool(work_.activityAt[stepIndex(op)]);
      SimTime start;
      SimTime arrival;
      for (const TensorId tensor : input_.graph.reads(op)) {
        const OpId producer = input_.graph.tensors[tensor].producer;
        if (producer) start = std::max(start, ends_[producer]);
        if (works && startsFar(tensor)) {
          arrival = std::max(arrival, floorTime(sizeOf(tensor), far(device).readBandwidth));
        }
      }
      ends_[op] = std::max(addTime(start, work_.ops[stepIndex(op)].compute), arrival);
      raise(bound_, ends_[op], kBinds);
      if (!works) continue;
      for (const TensorId tensor : input_.graph.ops[op].outputs) {
        if (!tensor || !endsFar(tensor)) continue;
        raise(bound_, addTime(start, floorTime(sizeOf(tensor), far(device).writeBandwidth)),
              kBinds);
      }
    }
  }

  const SimulationInput& input_;
  const PlannedWork& work_;
  MachinePools machine_;
  IdMap<OpId, SimTime> ends_;
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
  return account;
}

}  // namespace hw
