#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/pairs/pair_field.h"
#include "core/pairs/pair_model.h"

namespace hw {

/// Blocks of which each two conflict: all of them need bytes of their own.
struct PairClique {
  std::vector<std::uint32_t> members{};  ///< Ascending; empty only if there are no blocks.
  Bytes bytes{};                         ///< No plan has a lower peak, whether or not `proved`.
  bool proved = false;                   ///< No set of blocks that conflict pairwise weighs more.
  std::int64_t nodes = 0;
};

/// A heaviest set of blocks that conflict pairwise. A block weighs its size, or less where another
/// block may begin less than that above it: then the least such distance. Found by greedy growth,
/// then around each block in an order of elimination by branch and bound, where weights are taken
/// off sets of blocks that do not conflict until none is left (the bound of Held, Cook and Sewell
/// 2012). `bytes` adds what alignments and reserved ranges force, and is at least the end of any
/// fixed block. Proofs are tried for up to 16,384 blocks.
PairClique heaviestClique(const PairModel& model, const PairLimits& limits,
                          const std::function<bool()>& stopped = {});
PairClique heaviestClique(const PairModel& model, PairBudget& budget);

/// A reason why a model has no plan.
struct PairShortage {
  std::vector<std::uint32_t> members{};  ///< Blocks of which each two conflict.
  Bytes bytes{};                         ///< That they need at least.
  Bytes missing{};                       ///< By which that exceeds the capacity; positive.
};

/// The bytes that a clique lacks in a model; nothing missing where it fits or there is no capacity.
PairShortage shortageOf(const PairModel& model, const PairClique& clique);

}  // namespace hw
