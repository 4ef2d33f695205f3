#include "core/run/moved_partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/residency/level_program.h"
#include "core/residency/near_ends.h"

namespace hw {
namespace {

MachinePools poolsOf(const Platform& platform) {
  return machinePools(platform, platform.devices.size());
}

/// Its copies are left out: moves bring what others made.
Result<Partition> withoutCopies(const Prepared& prepared, const Storage& storage) {
  const Platform& platform = prepared.request.platform;
  std::vector<SharedRead> shared;
  for (const BufferId buffer : storage.buffers.keys()) {
    for (DeviceIndex device = 0; device < platform.devices.size(); ++device) {
      shared.push_back({buffer, device});
    }
  }
  const Graph& graph = *prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  HW_TRY(partition, partitionGraph(graph, schedule, storage, platform, shared));
  partition.residences.clear();
  partition.blocks.clear();
  return std::move(partition);
}

/// The pools of all devices, as a run has them.
IdMap<PoolId, ProblemPool> allPools(const RunRequest& request) {
  const Platform& platform = request.platform;
  const MachinePools machine = poolsOf(platform);
  IdMap<PoolId, ProblemPool> pools(machine.pools.size());
  for (DeviceIndex device = 0; device < platform.devices.size(); ++device) {
    const auto own = plannedPools(request, platform.devices[device]);
    for (const PoolId id : own.keys()) {
      const PoolId at = machine.ofDevice[device][id.index()];
      if (machine.pools[at].device != device) continue;
      pools[at] = own[id];
      if (platform.devices.size() == 1 || machine.pools[at].spec->shared) continue;
      pools[at].name = fmt::format("{}/{}", platform.devices[device].name, own[id].name);
    }
  }
  return pools;
}

}  // namespace

bool movesOnAll(const Platform& platform) {
  const MachinePools machine = poolsOf(platform);
  return std::ranges::all_of(machine.ofDevice,
                             [&](const std::vector<PoolId>& pools) { return pools.size() > 1; });
}

Result<Answer> planMovedPartition(const Prepared& prepared, const AllocatorChoice& allocator,
                                  Storage storage, const PlanContext& settings) {
  const Graph& graph = *prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  HW_TRY(partition, withoutCopies(prepared, storage));
  std::vector<DeviceIndex> deviceAt;
  for (const OpId op : schedule.order) deviceAt.push_back(partition.deviceOf[op]);
  Problem problem = makeProblem(graph, schedule, storage, prepared.sharing.alignment);
  problem.pools = allPools(prepared.request);
  const auto devices = [&](const Problem& asked) {
    LevelProgram program = levelProgram(graph, schedule, storage, asked);
    allowNearEnds(program, prepared.request.nearInputs, prepared.request.nearOutputs);
    return dealtOut(program, deviceAt, poolsOf(prepared.request.platform).ofDevice);
  };
  Fetching fetching = fetchingOf(prepared, storage);
  fetching.ways = {poolsOf(prepared.request.platform).ofDevice, deviceAt};
  HW_TRY(planned, planProblem(std::move(problem), {.allocator = allocator,
                                                   .settings = settings,
                                                   .residency = prepared.residency,
                                                   .devices = devices,
                                                   .fetching = fetching}));
  storage = withWeights(std::move(storage), graph, fetching.reads, planned.weights);
  return Answer{std::move(storage), std::move(planned), std::move(partition)};
}

}  // namespace hw
