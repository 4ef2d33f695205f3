#include "core/run/replay.h"

namespace hw {

std::shared_ptr<const Run> replayed(const Run& run, Platform platform) {
  auto other = std::make_shared<Run>(run);
  other->request.platform = std::move(platform);
  if (run.timing.ops.empty()) return other;
  Simulation simulation =
      simulate({.graph = run.graph(),
                .schedule = run.schedule,
                .storage = run.storage,
                .problem = run.problem,
                .plan = run.plan,
                .platform = other->request.platform,
                .streamWeights = run.request.weights.rule != WeightRule::free,
                .partition = run.partition.deviceOf.empty() ? nullptr : &run.partition,
                .inputsFar = run.inputsFar,
                .outputsFar = run.outputsFar});
  other->timing = std::move(simulation.timing);
  other->trace = std::move(simulation.trace);
  other->timeline = describe(other->trace.events(), run.problem.pools.size());
  return other;
}

}  // namespace hw
