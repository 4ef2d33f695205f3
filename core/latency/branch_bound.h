#pragma once

#include <optional>
#include <span>
#include <stop_token>

#include "core/latency/timed_work.h"

namespace hw {

struct BranchOptions {
  std::vector<std::optional<Bytes>> capacities{};  ///< By pool; nothing: unbounded.
  SimTime bound{};                                 ///< Known already: see `capacityBound`.
  SimTime latency{};       ///< Of a plan: a bound that proves it is good enough.
  int nodes = 100;         ///< Bounded, at most; fewer where a program is large.
  std::stop_token stop{};  ///< What is proved so far counts.
};

struct BranchedBound {
  SimTime time{};  ///< At least the bound that was known, at most the latency.
  int nodes = 0;
};

/// A latency that no addresses within the capacities undercut, with these stays, these moves and
/// this order, by branch and bound (Land and Doig 1960). Two stays of one pool that are not live
/// together either share bytes, and who enters the second waits for who leaves the first, or they
/// lie apart, and nobody waits. Each half is bounded as `capacityBound` does it, with the orders
/// that it has; the least bound is split next.
///
/// A half is run, too. Where no two stays are left that could still share bytes and hold up
/// anybody in that run, every plan of the half runs like that, ports and all: it is its own bound.
/// Else it is split at the two of which the second is entered first. A half whose stays that lie
/// apart exceed the capacity is empty.
BranchedBound branchedBound(const TimedWork& work, const BranchOptions& options);

}  // namespace hw
