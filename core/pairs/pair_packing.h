#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_field.h"

namespace hw {

/// Whether the hard pairs of a field allow a plan below a height.
struct PairPacking {
  enum class Outcome {
    packed,      ///< There are offsets.
    impossible,  ///< No plan ends at or below the height: proved by trying all that matter.
    stopped,     ///< The budget was used up.
  };

  Outcome outcome = Outcome::stopped;
  std::vector<std::int64_t> offsets{};  ///< By block, where packed.
};

/// Tries all plans that matter, depth first, blocks by ascending offset, each at the lowest offset
/// that those before it leave (as MiniMalloc does: Moffitt 2023, for any graph of pairs instead of
/// lifetimes only). Edges that only cost are not looked at. No block ends above `height`. Stopped
/// at once for more than 10,000 blocks.
PairPacking packPairs(const PairField& field, std::int64_t height, PairBudget& budget);

inline constexpr std::uint32_t kNoTwin = ~std::uint32_t{0};

/// By block the largest of lower number that it could change places with without any difference, or
/// kNoTwin: same size, alignment and edges.
std::vector<std::uint32_t> twinsOf(const PairField& field);

}  // namespace hw
