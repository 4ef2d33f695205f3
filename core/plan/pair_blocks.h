#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/pairs/pair_model.h"
#include "core/plan/plan.h"

namespace hw {

/// The stays of one pool, or of several that groups tie to each other, as blocks of a `PairModel`.
struct PairBlocks {
  PairModel model{};
  std::vector<PoolId> pools{};  ///< Ascending.
  /// By block: one stay, or those that begin at one offset. Ascending by their first.
  std::vector<std::vector<StayId>> stays{};
  IdMap<StayId, std::uint32_t> blockOf{};  ///< kNoBlock: of another pool.
  std::int64_t fixedCost = 0;              ///< Paid whatever the plan: within groups.
  /// False where pools of a set differ in size or in what is reserved: the model has the least room
  /// that any has, and says less than the problem about what is possible.
  bool exact = true;

  static constexpr std::uint32_t kNoBlock = 0xFFFFFFFF;
};

/// One of each set of pools that has stays, in the order of the first pool. The pool of every stay
/// counts as decided (`Problem::poolOf`). Fails where a group is pinned to two offsets, on
/// alignments that are no powers of two, and where more than kMostPairs pairs conflict.
Result<std::vector<PairBlocks>> pairBlocksOf(const Problem& problem);

inline constexpr std::int64_t kMostPairs = 20'000'000;

/// Gives the stays of `blocks` their addresses, by block.
void placeBlocks(const PairBlocks& blocks, const Problem& problem,
                 const std::vector<Bytes>& offsets, Plan& plan);

/// `problem` with a pool for each stay: its own, or the first of those allowed in which as much is
/// live at no step as to exceed the capacity with it; of none, the one with the most room.
/// Largest first, groups as a whole; the first of those allowed where stays times pools are more
/// than four million.
Problem withPools(const Problem& problem);

}  // namespace hw
