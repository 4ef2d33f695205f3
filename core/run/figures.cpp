#include "core/run/figures.h"

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/sim/op_timing.h"

namespace hw {
namespace {

bool isWhole(const Plan& plan) {
  return !plan.outOfMemory &&
         std::ranges::all_of(plan.addresses, [](const auto& at) { return at.has_value(); });
}

Bytes inputsOutside(const Run& run) {
  Bytes bytes;
  if (!run.request.planInputs || run.sharing.planInputs) return bytes;
  for (const TensorId id : run.graph().inputs) {
    const Tensor& tensor = run.graph().tensors[id];
    if (tensor.bytes && !tensor.constant) bytes += alignUp(*tensor.bytes, run.sharing.alignment);
  }
  return bytes;
}

void addFragmentation(const PlanMetrics& metrics, RunFigures& figures) {
  const auto used =
      std::ranges::find_if(metrics.pools, [](const PoolMetrics& pool) { return pool.stays > 0; });
  const bool empty = used == metrics.pools.end();
  figures.fragmentationAtPeak = empty ? 0 : used->atPeak.ratio();
  figures.fragmentation = empty ? 0 : used->averageFragmentation;
}

void addTimes(const Run& run, RunFigures& figures) {
  if (run.timing.ops.empty()) return;
  figures.latency = run.timing.makespan;
  figures.latencyBound = run.timing.account.ofOrder.time;
  figures.reuseWaits = run.timing.account.reuse.waits;
  figures.energy = run.timing.energyPicojoules;
  Bytes moved;
  for (const Traffic& traffic : run.timing.traffic) moved = addMoved(moved, traffic.total());
  figures.moved = moved;
}

/// Where buffers move, inputs and outputs begin and end far away: they are not spilled.
bool belongsFar(const Run& run, StayId id) {
  if (run.problem.moves.empty()) return false;
  const Buffer& buffer = run.storage.buffers[run.problem.stays[id].buffer];
  const auto given = [&](TensorId tensor) { return isGiven(run.graph(), tensor); };
  return buffer.graphOutput || std::ranges::any_of(buffer.tensors, given);
}

Bytes spilledBytes(const Run& run) {
  Bytes spilled;
  for (const StayId id : run.problem.stays.keys()) {
    const PoolId pool = run.plan.addresses[id]->pool;
    if (run.problem.pools[pool].level > 0 && !belongsFar(run, id)) {
      spilled += run.problem.stays[id].size;
    }
  }
  return spilled;
}

}  // namespace

RunFigures figuresOf(const Run& run) {
  RunFigures figures{.whole = isWhole(run.plan),
                     .fits = fits(run),
                     .lowerBound = run.metrics.lowerBound,
                     .inputsOutside = inputsOutside(run),
                     .planSeconds = run.planSeconds};
  for (const PoolId pool : run.problem.pools.keys()) {
    const bool first = run.problem.pools[pool].level == 0;
    (first ? figures.peakL2 : figures.peakL3) += run.plan.footprint(pool);
  }
  if (!figures.whole) return figures;
  figures.gap = run.metrics.gap();
  figures.reuse = run.metrics.reuse;
  addFragmentation(run.metrics, figures);
  figures.spilled = spilledBytes(run);
  addTimes(run, figures);
  return figures;
}

Bytes reservedBytes(const Run& run, PoolId pool) {
  const Platform& platform = run.request.platform;
  const bool spread = !run.partition.deviceOf.empty();
  const MachinePools machine = machinePools(platform, spread ? platform.devices.size() : 1);
  if (!machine.pools.contains(pool) || !run.problem.pools.contains(pool)) return {};
  const PoolSpec& spec = *machine.pools[pool].spec;
  const auto& capacity = run.problem.pools[pool].capacity;
  return capacity && capacity == spec.target() ? spec.reserved : Bytes();
}

}  // namespace hw
