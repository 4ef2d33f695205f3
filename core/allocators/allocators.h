#pragma once

#include <memory>
#include <span>

#include "core/allocators/allocator.h"

namespace hw {

/// Free lists over the pools in order: METHODS §4, every choice pinned down there. Parameters:
/// `threshold` (bytes) and `pick` (largest, best).
std::unique_ptr<Allocator> makeFreeList(const Params& params);
std::span<const ParamSpec> freeListParams();

/// Largest first, each into the smallest gap between its neighbours in time that is large enough,
/// else above them. Pisarchyk and Lee 2020, "Efficient memory management for deep neural net
/// inference", greedy by size for offset calculation.
std::unique_ptr<Allocator> makeGreedyBySize(const Params& params);

/// Every stay has bytes of its own: the sum of all sizes.
std::unique_ptr<Allocator> makeNoReuse(const Params& params);

}  // namespace hw
