#pragma once

#include <vector>

#include "core/picture/block_store.h"

namespace hw {

/// Which blocks of a map lie elsewhere than the same tensors in another run of the same model.
struct MovedBlocks {
  std::vector<bool> moved{};  ///< Per block of the store.
  std::size_t count = 0;      ///< Of those that are true.

  bool contains(std::size_t index) const { return index < moved.size() && moved[index]; }
};

/// A block has stayed when the reference has the same bytes of the same buffer at the same
/// addresses of the same pool during any step that both know; everything else has moved. Nothing
/// has where operators run in other parts: then they have few tensors and no steps in common.
/// O(n log n) in blocks of both runs.
MovedBlocks movedBlocks(const Run& run, PoolId pool, const BlockStore& blocks,
                        const Run& reference);

}  // namespace hw
