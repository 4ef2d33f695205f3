#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/id.h"
#include "core/base/quantity.h"
#include "core/memory/event.h"

namespace hw {

/// A contiguous piece of a region.
struct Chunk {
  Bytes offset{};
  Bytes size{};
  StayId owner{};  ///< None when free.

  bool isFree() const { return !owner; }
  Bytes end() const { return offset + size; }
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

/// The state of one pool: regions, each tiled without gap or overlap by chunks.
///
/// The only way to change it is to `apply` an event, and every event can be reverted. Heaps write
/// their history by changing one of these; the trace reads history back by replaying onto another.
/// The pool in the event is not looked at.
class ChunkMap {
 public:
  void apply(const MemoryEvent& event);
  void revert(const MemoryEvent& event);

  std::size_t regionCount() const;
  Bytes regionSize(RegionId region) const;  ///< 0 for a region that does not exist yet.
  Bytes footprint() const;                  ///< Sum of all regions. O(1).

  /// In address order.
  std::vector<Chunk> chunks(RegionId region) const;
  /// The chunk that `offset` lies in; nothing at or beyond the region's end.
  std::optional<Chunk> chunkAt(RegionId region, Bytes offset) const;
  /// The chunk that ends where the region ends.
  std::optional<Chunk> lastChunk(RegionId region) const;

  /// Bytes with an owner, over all regions. O(1).
  Bytes inUse() const { return inUse_; }
  /// Number of chunks, free ones included. O(1).
  std::size_t chunkCount() const { return chunkCount_; }

  /// Equal content; regions of size 0 at the end do not count.
  friend bool operator==(const ChunkMap& a, const ChunkMap& b);

 private:
  // A real, fast representation goes here (see docs/ARCHITECTURE): flat and cheap to copy, because
  // keyframes are copies.
  Bytes inUse_;
  std::size_t chunkCount_ = 0;
};

}  // namespace hw
