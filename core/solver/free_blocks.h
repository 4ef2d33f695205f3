#pragma once

#include <optional>
#include <set>
#include <utility>

#include "core/memory/chunk_map.h"
#include "core/plan/problem.h"

namespace hw {

/// The free blocks of one pool, by size and by address.
class FreeBlocks {
 public:
  void add(const Chunk& chunk) { bySize_.insert({chunk.size, chunk.offset}); }
  void remove(const Chunk& chunk) { bySize_.erase({chunk.size, chunk.offset}); }
  bool empty() const { return bySize_.empty(); }

  /// A block of exactly `size`, the lowest that is aligned.
  std::optional<Bytes> exact(const Stay& stay) const {
    for (auto block = bySize_.lower_bound({stay.size, Bytes()});
         block != bySize_.end() && block->first == stay.size; ++block) {
      if (isAligned(block->second, stay.alignment)) return block->second;
    }
    return std::nullopt;
  }

  /// An address in the smallest block that is larger than the stay, lowest first.
  std::optional<Bytes> smallestLarger(const Stay& stay) const {
    for (auto block = bySize_.upper_bound({stay.size, kMaxBytes}); block != bySize_.end();
         ++block) {
      if (const auto at = placeIn(*block, stay)) return at;
    }
    return std::nullopt;
  }

  /// An address in the largest block that is larger than the stay, lowest first.
  std::optional<Bytes> largestLarger(const Stay& stay) const {
    for (auto above = bySize_.end(); above != bySize_.begin();) {
      const Bytes size = std::prev(above)->first;
      if (size <= stay.size) break;
      const auto group = bySize_.lower_bound({size, Bytes()});
      for (auto block = group; block != above; ++block) {
        if (const auto at = placeIn(*block, stay)) return at;
      }
      above = group;
    }
    return std::nullopt;
  }

  const std::set<std::pair<Bytes, Bytes>>& bySize() const { return bySize_; }

  /// The largest block, the highest if several. Not to be called when empty.
  Chunk largest() const {
    const auto& [size, offset] = *bySize_.rbegin();
    return {.offset = offset, .size = size};
  }

 private:
  static std::optional<Bytes> placeIn(const std::pair<Bytes, Bytes>& block, const Stay& stay) {
    const Bytes at = alignUp(block.second, stay.alignment);
    if (at + stay.size > block.second + block.first) return std::nullopt;
    return at;
  }

  std::set<std::pair<Bytes, Bytes>> bySize_;  ///< (size, offset).
};

}  // namespace hw
