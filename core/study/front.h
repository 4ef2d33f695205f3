#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/latency/latency_search.h"
#include "core/run/run.h"

namespace hw {

/// A plan as a front shows it: what it needs of the near memory, and how long the run takes.
struct FrontPoint {
  AllocatorChoice choice{};  ///< Who plans so.
  std::string made{};        ///< In words: the allocator, or what the search ended with.
  Bytes peak{};              ///< Of the first pool.
  SimTime latency{};
  /// Capacity that the search was given, and the latency that no plan of the same stays undercuts
  /// within it; nothing for plans of allocators, which plan as low as they can.
  std::optional<Bytes> capacity{};
  std::optional<SimTime> bound{};
  /// The search's plan of the stays of `Front::lowest`; null for those of allocators,
  std::shared_ptr<const Plan> plan{};
  /// which have a run each.
  std::shared_ptr<const Run> run{};
  /// An allocator's: it keeps or moves other stays than `Front::lowest` does (graph inputs that are
  /// left out, weights that are not fetched ahead), so that the bounds do not hold for it.
  bool ownStays = false;

  bool proved() const { return bound && isProved(latency, *bound); }
};

/// Capacity of the near memory against latency: what each allocator comes to, and what a search for
/// the least latency finds at one capacity after another.
struct Front {
  RunRequest request{};  ///< As asked for, with a near memory without limit.
  /// The run whose stays, moves and order the search keeps: `best`, without a limit.
  std::shared_ptr<const Run> lowest{};
  std::vector<FrontPoint> found{};       ///< By capacity; each is faster than the one before.
  std::vector<FrontPoint> allocators{};  ///< By peak.
  Bytes leastPeak{};                     ///< No plan of these stays needs less.
  SimTime leastLatency{};                ///< No addresses make them faster, however much there is.
  bool stopped = false;                  ///< There would have been more.

  /// The request that opens the plan of `point` in full.
  RunRequest requestOf(const FrontPoint& point) const;
  /// That plan, played: nothing is searched again.
  std::shared_ptr<const Run> runOf(const FrontPoint& point) const;
};

struct FrontOptions {
  std::size_t points = 12;  ///< Capacities at most; one at least.
  /// Budget of `best` for each capacity, as of its parameters `nodes` and `seconds`.
  std::int64_t nodes = 4'000;
  double seconds = 0;
  std::vector<AllocatorChoice> choices{};  ///< To be shown beside; none: all.
  /// Called after the first look at each capacity and after the allocators, with what there is so
  /// far.
  std::function<void(const Front&)> report{};
};

/// The front of a model under one configuration, whose own allocator and near capacity are ignored.
/// Capacities are hundredths of what the lowest plan needs, rounded up. A first look goes upwards
/// from there, each time from the plan before, until one is as fast as without reuse or the wall is
/// met; then comes what allocators do, then the budgets that are left: capacities are tasks of one
/// queue, for `request.threads` of them, however many of which give the same front. A capacity that
/// makes nothing faster is left out. Fails when there is no plan at all, or nothing that takes time
/// side by side; stopped, it gives what it has.
Result<Front> makeFront(const std::shared_ptr<const Model>& model, const RunRequest& request,
                        const FrontOptions& options, const RunContext& context);

}  // namespace hw
