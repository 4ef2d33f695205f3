#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/plan/problem.h"

namespace hw {

/// The state of an exact search: the best plan so far, and the proved bound.
struct ExactProgress {
  double seconds = 0;  ///< Since the search began.
  Bytes incumbent{};   ///< Peak of the best plan so far.
  Bytes bound{};       ///< Proved: no plan is lower.
  std::int64_t nodes = 0;
  std::string winner{};  ///< The order that found the incumbent; "start" before any did.

  double nodesPerSecond() const { return seconds > 0 ? static_cast<double>(nodes) / seconds : 0; }
  /// incumbent / bound - 1; 0 when nothing lives there.
  double gap() const;
};

/// Offsets for the stays of a pool, by stay, and the name of what found them.
struct QuickPlan {
  IdMap<StayId, Bytes> offsets{};
  std::string winner = "start";
};

struct ExactOptions {
  /// Asks whether this much suffices; nothing: asks for the least that does.
  std::optional<Bytes> capacity{};
  /// Placements looked at, at most; 0: no limit. A search that this limit ends depends on nothing
  /// but its input: neither on the clock nor on the number of threads.
  std::int64_t nodes = 0;
  /// Nodes may be up to 16 times as many, as long as plans get lower: twice what the last gain
  /// took.
  bool grows = false;
  double seconds = 0;  ///< 0: no limit.
  int threads = 0;     ///< 0: as many as the machine has.
  std::stop_token stop{};
  /// A plan to start from: an offset for every stay of the pool, by stay; nothing: the best of a
  /// few greedy ones.
  std::optional<IdMap<StayId, Bytes>> start{};
  /// A first look with the skyline. False where the caller has had it, with the usual seed, and
  /// starts from a plan that is no higher; a pool of several parts has it nevertheless.
  bool skyline = true;
  /// Another search of a pool of a problem, for so many seconds at most (0: no limit); nothing: it
  /// found no plan. Called once at most, when the first looks have decided nothing. May be empty.
  std::function<std::optional<QuickPlan>(const Problem&, PoolId, double seconds)> otherwise{};
  /// Called when something has changed and now and then, from the calling thread. May be empty.
  std::function<void(const ExactProgress&)> progress{};
};

enum class ExactStatus : std::uint8_t {
  optimal,     ///< Proved: the incumbent is as low as any plan.
  fits,        ///< The incumbent is within the capacity asked for.
  infeasible,  ///< Proved: no plan is within the capacity asked for.
  stopped,     ///< Ran out of nodes or time, or was told to stop.
};

struct ExactResult {
  ExactStatus status = ExactStatus::stopped;
  /// Of the incumbent, by stay; those of other pools are 0. Empty: it was told to stop before there
  /// was a plan.
  IdMap<StayId, Bytes> offsets{};
  Bytes incumbent{};
  Bytes bound{};
  std::int64_t nodes = 0;
  std::string winner{};
  std::vector<ExactProgress> history{};  ///< Every change of incumbent or bound, and the end.
};

/// Finds the lowest plan of the stays of one pool, or whether they fit into a capacity, with proof.
/// Alignments, gaps and pins are kept; pins must not clash. Returns a plan, that of the start
/// at least, unless it is told to stop before. How it searches is described in docs/solver.md.
ExactResult solveExact(const Problem& problem, PoolId pool, const ExactOptions& options = {});

}  // namespace hw
