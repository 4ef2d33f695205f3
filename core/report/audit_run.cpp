#include "core/report/audit_run.h"

#include <algorithm>

namespace hw {
namespace {

void addStays(Run& run) {
  if (run.model->problem) {
    run.problem = *run.model->problem;
    run.problem.pools = {};
    return;
  }
  run.problem.steps = std::max(run.schedule.steps(), Step(1));
  for (const BufferId id : run.storage.buffers.keys()) {
    const Buffer& buffer = run.storage.buffers[id];
    run.problem.stays.add({.buffer = id,
                           .steps = buffer.steps,
                           .size = buffer.size,
                           .alignment = run.alignment,
                           .outlives = buffer.graphOutput});
  }
}

}  // namespace

std::shared_ptr<const Run> assembleRun(AuditedRunParts parts) {
  const auto run = std::make_shared<Run>();
  run->model = std::move(parts.model);
  run->alignment = parts.alignment;
  run->schedule = givenOrder(run->graph());
  run->storage = std::move(parts.storage);
  addStays(*run);
  for (const AuditedRunParts::Pool& pool : parts.pools) {
    run->problem.pools.add({.name = pool.name});
    run->plan.regions.add({pool.size});
  }
  for (const StayId id : run->problem.stays.keys()) {
    const auto& place = parts.places[run->stayTensor(id)];
    if (!place) return nullptr;
    run->problem.stays[id].pool = place->pool;
    run->plan.addresses.add(place);
  }
  return run;
}

}  // namespace hw
