#pragma once

#include <functional>

#include "core/allocators/catalog.h"
#include "core/residency/fetching.h"
#include "core/residency/moving_devices.h"
#include "core/run/run.h"

namespace hw {

/// A problem with the pool of every stay decided, and the answer to it.
struct Planned {
  Problem problem{};
  Plan plan{};
  std::vector<TensorId> weights{};  ///< Of buffers behind those of the storage: they have stays.
  /// Of the plan's notes, those that say who lives where: they hold with other addresses, too.
  std::vector<std::string> notes{};
};

/// The share of what pools may hold that planning begins with, in percent.
struct RoomShare {
  int buffers = 100;
  int weights = 100;  ///< Of buffers and weights together.
};

/// The problem that a graph comes to in its order: a stay for every buffer, with the same number;
/// no pools yet.
Problem makeProblem(const Graph& graph, const Schedule& schedule, const Storage& storage,
                    Bytes alignment);

/// The buffers that come near before ops read them.
struct Fetching {
  WeightChoice weights{};
  std::vector<WeightReads> reads{};  ///< Empty: weights are not brought near.
  std::vector<BufferId> inputs{};    ///< To be loaded where buffers keep their places.
  std::vector<BufferId> outputs{};   ///< To be stored where they do.
  BufferId first{};                  ///< The first that weights get.
  WeightWays ways{};                 ///< None: through all pools of the problem.
  Bytes alignment{1};
};

/// The input of planning one problem besides the problem.
struct PlanOrder {
  const AllocatorChoice& allocator;
  PlanContext settings{};
  /// Bytes moved to and from each stay, for residency by whole lives.
  std::function<IdMap<StayId, Bytes>(const Problem&)> traffic{};
  ResidencyRule residency = ResidencyRule::wholeLife;
  /// The uses of buffers by device, for rules by which buffers move.
  std::function<std::vector<MovingDevice>(const Problem&)> devices{};
  Fetching fetching{};
  RoomShare rooms{};

  bool moves() const { return residency != ResidencyRule::wholeLife; }
  bool fetches() const {
    return !fetching.reads.empty() || !fetching.inputs.empty() || !fetching.outputs.empty();
  }
};

/// The settings an allocator gets from what was asked for; it tells `progress` how far it is.
PlanContext planSettings(const RunRequest& request, const RunContext& context,
                         std::function<void(double, const std::string&)> progress);

/// The pools of `device` as planners see them, with what `request` says of their sizes. A `bare`
/// problem, one from a file, may bring its own, and a size in bytes that was asked for changes that
/// of the first two. If not, it has others behind a first pool that is bounded only where it names
/// them, or their size was asked for: what does not fit is not quietly spilled. Of the
/// default platform it has no limits: nobody has named one.
IdMap<PoolId, ProblemPool> plannedPools(const RunRequest& request, const DeviceSpec& device,
                                        const Problem* bare = nullptr);

/// `given`, a problem from a file, in `pools`: those that it names are found by their names. Fails
/// where it names one that is not there.
Result<Problem> inPools(Problem given, IdMap<PoolId, ProblemPool> pools);

/// `request` with the pools that a problem brings as those of its first device, so that whoever
/// asks its platform about a pool finds it; without DMA, since nothing moves.
RunRequest onOwnPools(const Problem& bare, RunRequest request);

/// Runs the allocator; for one that does not choose pools, or where buffers may move, decides first
/// who lives where, and when fragmentation overshoots a pool, does so again with a budget smaller
/// by the overshoot: that of weights first, as long as any are near.
/// Plans a problem; notes for the user go to the plan. Fails on sizes that cannot be added up.
Result<Planned> planProblem(Problem problem, const PlanOrder& order);

}  // namespace hw
