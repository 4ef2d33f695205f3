#pragma once

#include <algorithm>
#include <memory>
#include <random>

#include "core/machine/platforms.h"
#include "core/run/run.h"

namespace hw::bench {

/// `count` stays in lanes of addresses, a random number of steps each: no two overlap.
inline std::shared_ptr<const Run> laneRun(std::size_t count) {
  auto run = std::make_shared<Run>();
  run->request.platform = platformCatalog().front();
  std::mt19937_64 random(count);
  const auto lanes = static_cast<std::int64_t>(std::max<std::size_t>(20, count / 500));
  auto graph = std::make_shared<Graph>();
  Step steps;
  Bytes low;
  run->problem.pools.add({.name = "L2"});
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const Bytes size(static_cast<std::int64_t>(64 * (1 + random() % 64)));
    Step at;
    const auto here = count * static_cast<std::size_t>(lane + 1) / static_cast<std::size_t>(lanes);
    while (run->problem.stays.size() < here) {
      const Step end = at + Step(1 + static_cast<std::int64_t>(random() % 9));
      run->problem.stays.add({.buffer = BufferId(run->problem.stays.size()),
                              .steps = {at, end},
                              .size = size,
                              .pool = PoolId(0)});
      const TensorId root = graph->tensors.add({.name = "t"});
      run->storage.buffers.add({.size = size, .root = root, .tensors = {root}});
      run->plan.addresses.add(Address{PoolId(0), RegionId(0), low});
      at = end;
    }
    steps = std::max(steps, at);
    low += size;
  }
  run->problem.steps = steps;
  run->plan.regions.add({});
  run->plan.regions[PoolId(0)].add(low);
  auto model = std::make_shared<Model>();
  model->graph = std::move(graph);
  run->model = std::move(model);
  return run;
}

}  // namespace hw::bench
