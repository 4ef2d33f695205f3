#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/event.h"
#include "core/plan/method_record.h"
#include "core/plan/problem.h"

namespace hw {

/// The place of a stay. A region is an address space of its own inside a pool: an arena uses one
/// and many offsets, a block-id allocator many and offset zero.
struct Address {
  PoolId pool{};
  RegionId region{};
  Bytes offset{};
  friend constexpr auto operator<=>(const Address&, const Address&) = default;
};

enum class PlanStatus : std::uint8_t {
  optimal,     ///< Proved: no plan is smaller.
  complete,    ///< Every stay has an address, within capacity.
  overBudget,  ///< Some pool would have to be larger: a plan that does not fit, or a part of one.
  infeasible,  ///< Proved: no plan fits.
  stopped,     ///< Ran out of its time or node budget, or was cancelled; holds the best so far.
};

/// "optimal", "complete", "over-budget", "infeasible", "stopped".
std::string_view statusName(PlanStatus status);

/// An online allocator's end: nowhere to put `stay`.
struct OutOfMemory {
  struct PoolState {
    PoolId pool{};
    Bytes capacity{};     ///< What may be planned.
    Bytes live{};         ///< Bytes with an owner.
    Bytes freeBytes{};    ///< Free blocks plus what was never used.
    Bytes largestFree{};  ///< The largest block that could be had.
  };
  StayId stay{};
  Step step{};
  Bytes wanted{};
  std::vector<PoolState> pools{};
};

/// Bytes that are taken and given back as a whole, whoever of its tenants lives: the block of an
/// execution unit.
struct HeldBlock {
  std::string name{};
  Address place{};  ///< Of its first byte.
  Bytes size{};
  Interval<Step> steps{};
  bool outlives = false;  ///< A graph output lies in it: it is never given back.
  std::vector<StayId> tenants{};
};

/// The answer to a Problem.
struct Plan {
  PlanStatus status = PlanStatus::complete;
  IdMap<StayId, std::optional<Address>> addresses{};  ///< Nothing: not placed.
  /// The size of every region, per pool; the sum over a pool's regions is its footprint.
  IdMap<PoolId, IdMap<RegionId, Bytes>> regions{};
  std::vector<MemoryEvent> story{};  ///< How memory gets there, in step order.
  std::optional<OutOfMemory> outOfMemory{};
  std::vector<std::string> notes{};     ///< What the user should know, in sentences.
  std::vector<MethodTable> tables{};    ///< What the method wrote down.
  std::vector<MethodRecord> records{};  ///< What its lists went through; only when asked for.
  std::vector<HeldBlock> blocks{};      ///< Of methods that place blocks with stays in them.
  /// A region is such a block, too: whoever lives in it has all of it.
  bool regionsAreBlocks = false;
  /// Proved: no plan within the capacities pays less (`ReusePenalty`). Nothing: not looked for.
  std::optional<std::int64_t> penaltyBound{};

  Bytes footprint(PoolId pool) const;
  /// Of all pools together.
  Bytes footprint() const;

  /// The start of a region when all regions of its pool are laid one after the other.
  Bytes regionStart(PoolId pool, RegionId region) const;

  /// The same of every region, and at the end where the last one ends.
  std::vector<Bytes> regionStarts(PoolId pool) const;

  /// The one flat offset of a stay that people and exports see. O(regions).
  std::optional<Bytes> flatOffset(StayId stay) const;

  /// The same of all stays; nothing where one has no place, or a region that is not there. A pool
  /// can have as many regions as stays: O(stays + regions).
  IdMap<StayId, std::optional<Bytes>> flatOffsets() const;

  /// The input that `stay` is written over: one the problem permits, at the same address. None when
  /// it has bytes of its own. O(log overlays).
  StayId inputUnder(const Problem& problem, StayId stay) const;
};

/// Everything has an address, and no pool takes more than its capacity: whatever the status says
/// of how the plan came about. The one answer to "does it fit"; `planFailure` says why not.
bool fits(const Problem& problem, const Plan& plan);

}  // namespace hw
