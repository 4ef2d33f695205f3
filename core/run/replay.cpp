#include "core/run/replay.h"

#include "core/allocators/allocator.h"

namespace hw {

void play(Run& run) {
  Simulation simulation =
      simulate({.graph = run.graph(),
                .schedule = run.schedule,
                .storage = run.storage,
                .problem = run.problem,
                .plan = run.plan,
                .platform = run.request.platform,
                .streamWeights = run.request.weights.rule != WeightRule::free,
                .partition = run.partition.deviceOf.empty() ? nullptr : &run.partition,
                .inputsFar = run.inputsFar,
                .outputsFar = run.outputsFar});
  run.timing = std::move(simulation.timing);
  run.trace = std::move(simulation.trace);
  run.timeline = describe(run.trace.events(), run.problem.pools.size());
}

std::shared_ptr<const Run> replayed(const Run& run, Platform platform) {
  auto other = std::make_shared<Run>(run);
  other->request.platform = std::move(platform);
  if (!other->timing.ops.empty()) play(*other);
  return other;
}

std::shared_ptr<const Run> replanned(const Run& run, Plan plan, RunRequest request) {
  auto other = std::make_shared<Run>(run);
  if (request.l2.kind == PoolSize::Kind::bytes) {
    other->problem.pools[PoolId(0)].capacity = request.l2.bytes;
  }
  other->request = std::move(request);
  other->plan = finishPlan(other->problem, std::move(plan));
  other->metrics = measure(other->problem, other->plan);
  other->planSeconds = 0;
  if (!other->timing.ops.empty()) play(*other);
  return other;
}

}  // namespace hw
