#include "core/sim/simulator.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/sim/activity_builder.h"
#include "core/sim/cost_model.h"
#include "core/sim/stories.h"

namespace hw {
namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

/// The bytes that any plan moves: every input, output and weight that some op touches.
Bytes compulsoryBytes(const SimulationInput& input) {
  std::set<TensorId> moved(input.graph.inputs.begin(), input.graph.inputs.end());
  moved.insert(input.graph.outputs.begin(), input.graph.outputs.end());
  for (const OpId op : input.schedule.order) {
    if (input.graph.ops[op].folded) continue;
    for (const TensorId tensor : input.graph.reads(op)) {
      if (input.graph.tensors[tensor].constant) moved.insert(tensor);
    }
  }
  Bytes sum;
  for (const TensorId tensor : moved) {
    if (input.graph.tensors[tensor].constant && !input.streamWeights) continue;
    sum = addMoved(sum, input.graph.tensors[tensor].bytes.value_or(Bytes()));
  }
  return sum;
}

/// Gives ops the times of their activities; one that does nothing is over as what precedes it is.
void setTimes(const PlannedWork& work, const Execution& run, std::vector<OpTiming>& ops) {
  SimTime now;
  std::size_t next = 0;
  const auto& activities = work.list.activities;
  for (std::size_t step = 0; step < ops.size(); ++step) {
    const ActivityId own = work.activityAt[step];
    for (; next < activities.size(); ++next) {
      const Activity& before = activities[ActivityId(next)];
      const Step at(static_cast<std::int64_t>(step));
      const bool precedes =
          before.step < at || (before.step == at && before.kind != ActivityKind::store);
      if (!precedes || ActivityId(next) == own) break;
      now = std::max(now, run.times[ActivityId(next)].end);
    }
    const Interval<SimTime> idle{now, now};
    ops[step].time = own ? Interval<SimTime>{run.times[own].start, run.times[own].end} : idle;
  }
}

std::vector<TransferTiming> transfersOf(const ActivityList& list, const Execution& run) {
  std::vector<TransferTiming> transfers;
  for (const ActivityId id : list.activities.keys()) {
    const Activity& activity = list.activities[id];
    if (activity.kind != ActivityKind::copy) continue;
    transfers.push_back({activity.from,
                         activity.to,
                         activity.step,
                         activity.bytes,
                         {run.times[id].start, run.times[id].end}});
  }
  return transfers;
}

void addTotals(const SimulationInput& input, Timing& timing) {
  const std::size_t devices = input.partition == nullptr ? 1 : input.platform.devices.size();
  const MachinePools machine = machinePools(input.platform, devices);
  for (const OpTiming& op : timing.ops) {
    timing.macs = checkedAdd(timing.macs, op.macs).value_or(kEndless);
  }
  bool endless = timing.macs == kEndless;
  for (const PoolId pool : timing.traffic.keys()) {
    const Bytes moved = timing.traffic[pool].total();
    timing.picojoulesPerByte.add(machine.pools[pool].spec->picojoulesPerByte);
    timing.energyPicojoules += timing.energyOf(pool, moved);
    endless |= moved == kMaxTraffic;
  }
  timing.compulsory = compulsoryBytes(input);
  if (timing.makespan == kMaxTime) {
    timing.notes.emplace_back("the run takes longer than 53 days; times are cut off there");
  }
  if (endless) timing.notes.emplace_back("MACs or bytes moved are too many to count in 62 bits");
}

}  // namespace

SimTime latencyOf(const SimulationInput& input) {
  const PlannedWork work = plannedWork(input);
  return execute(work.list, hazardsOf(work.list), work.list.contention).makespan;
}

Simulation simulate(const SimulationInput& input) {
  constexpr double kAccountsFrom = 0.4;
  PlannedWork work = plannedWork(input);
  const GoOn goOn = input.goOn ? input.goOn : [](double) { return true; };
  if (!goOn(0)) return {};
  const Waits waits = hazardsOf(work.list);
  Execution run = execute(work.list, waits, work.list.contention,
                          [&](double done) { return goOn(kAccountsFrom * done); });
  if (run.stopped) return {};
  TimedStory story =
      work.list.sequential() ? planStory(input, work, run) : runStory(input, work, run);
  LatencyAccount account = accountOf(input, work, waits, run, [&](double done) {
    return goOn(kAccountsFrom + (1 - kAccountsFrom) * done);
  });
  if (!goOn(1)) return {};
  Timing timing{.ops = std::move(work.ops),
                .makespan = run.makespan,
                .account = std::move(account),
                .traffic = std::move(work.traffic),
                .digest = story.digest,
                .notes = std::move(work.notes)};
  setTimes(work, run, timing.ops);
  timing.transfers = transfersOf(work.list, run);
  timing.notes.insert(timing.notes.end(), story.notes.begin(), story.notes.end());
  addTotals(input, timing);
  timing.activities = std::move(work.list);
  timing.times = std::move(run.times);
  return {std::move(timing), std::move(story.trace)};
}

}  // namespace hw
