#pragma once

#include <functional>

#include "core/allocators/catalog.h"
#include "core/run/run.h"

namespace hw {

/// What planning one problem takes besides the problem.
struct PlanOrder {
  const AllocatorChoice& allocator;
  PlanContext settings{};
  /// Bytes moved to and from each stay, for residency.
  std::function<IdMap<StayId, Bytes>()> traffic{};
};

/// The settings an allocator gets from a run's configuration.
PlanContext planSettings(const RunConfig& config, const RunContext& context);

/// Runs the allocator; for one that does not choose pools, decides first who lives in L2, and when
/// fragmentation overshoots L2, spills to a budget smaller by the overshoot and plans again. Pools
/// of the stays are decided in `problem`; what a user should know goes to the plan's notes.
Result<Plan> planProblem(Problem& problem, const PlanOrder& order);

/// Plans a graph over the devices of the platform (METHODS §3): fills in problem, plan and
/// partition of `run`, whose storage is there and without aliases.
Result<void> planPartitioned(Run& run, const RunContext& context);

/// Capacity of the device's pool number `pool` under `config`; nothing: unbounded.
std::optional<Bytes> capacityOf(const RunConfig& config, const DeviceSpec& device,
                                std::size_t pool);

/// Refuses problems whose sizes cannot be added up.
Result<void> checkTotal(const Problem& problem);

}  // namespace hw
