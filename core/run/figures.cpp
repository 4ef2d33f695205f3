#include "core/run/figures.h"

#include <algorithm>

#include "core/sim/op_timing.h"

namespace hw {
namespace {

/// Which of the run's pools are the first of their device. The pools of a run are those of the
/// first device, or of all devices one after the other.
IdMap<PoolId, bool> firstPools(const Run& run) {
  IdMap<PoolId, bool> first(run.problem.pools.size(), false);
  std::size_t index = 0;
  for (const DeviceSpec& device : run.config.platform.devices) {
    if (index < first.size()) first[PoolId(index)] = true;
    index += device.pools.size();
  }
  if (!first.empty()) first[PoolId(0)] = true;
  return first;
}

bool isWhole(const Plan& plan) {
  return !plan.outOfMemory &&
         std::ranges::all_of(plan.addresses, [](const auto& at) { return at.has_value(); });
}

Bytes inputsOutside(const Run& run) {
  Bytes bytes;
  const bool left = run.config.planInputs && !run.config.allocator.info->plansInputs;
  if (!left || run.model->problem) return bytes;
  for (const TensorId id : run.graph().inputs) {
    const Tensor& tensor = run.graph().tensors[id];
    if (tensor.bytes && !tensor.constant) bytes += alignUp(*tensor.bytes, run.alignment);
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
  if (run.model->problem) return;
  figures.latency = run.timing.makespan;
  Bytes moved;
  for (const Traffic& traffic : run.timing.traffic) moved = addMoved(moved, traffic.total());
  figures.moved = moved;
}

}  // namespace

RunFigures figuresOf(const Run& run) {
  RunFigures figures{.whole = isWhole(run.plan),
                     .lowerBound = run.metrics.lowerBound,
                     .inputsOutside = inputsOutside(run),
                     .planSeconds = run.planSeconds};
  const IdMap<PoolId, bool> first = firstPools(run);
  for (const PoolId pool : run.problem.pools.keys()) {
    (first[pool] ? figures.peakL2 : figures.peakL3) += run.plan.footprint(pool);
  }
  if (!figures.whole) return figures;
  figures.gap = run.metrics.gap();
  figures.reuse = run.metrics.reuse;
  addFragmentation(run.metrics, figures);
  Bytes spilled;
  for (const StayId id : run.spilled) spilled += run.problem.stays[id].size;
  figures.spilled = spilled;
  addTimes(run, figures);
  return figures;
}

}  // namespace hw
