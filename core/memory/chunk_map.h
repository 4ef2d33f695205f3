#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
/// The pool in the event is not looked at. An event that does not fit the state is a bug of ours
/// and ends the program.
///
/// Kept as boundaries: where a chunk starts and who owns it; it ends where the next one starts, or
/// where its region does. The boundaries of all regions form one list in (region, offset) order,
/// cut into blocks of at most 64, with a directory of the blocks:
///
///     directory   [r0 @0, 3]        [r0 @96, 2]      [r2 @0, 4]
///     slab        |0 a|32 -|64 b|   |96 c|112 -|     |0 d|...
///
/// So a region of one chunk costs 24 bytes, a change O(sqrt n) moves of 16 bytes at worst, a
/// search O(log n), and a copy three memcpy's.
class ChunkMap {
 public:
  void apply(const MemoryEvent& event);
  void revert(const MemoryEvent& event);

  /// One past the highest region with a size.
  std::size_t regionCount() const { return regionSizes_.size(); }
  Bytes regionSize(RegionId region) const;        ///< 0 for a region that does not exist yet.
  Bytes footprint() const { return footprint_; }  ///< Sum of all regions. O(1).

  /// In address order. O(log n + answer).
  std::vector<Chunk> chunks(RegionId region) const;
  /// The chunk that `offset` lies in; nothing at or beyond the region's end. O(log n).
  std::optional<Chunk> chunkAt(RegionId region, Bytes offset) const;
  /// The chunk that ends where the region ends. O(log n).
  std::optional<Chunk> lastChunk(RegionId region) const;

  /// Bytes with an owner, over all regions. O(1).
  Bytes inUse() const { return inUse_; }
  /// Number of chunks, free ones included. O(1).
  std::size_t chunkCount() const { return chunkCount_; }

  /// The start of a chunk and its owner; it ends where the next one starts, or its region does.
  struct Boundary {
    Bytes offset{};
    RegionId region{};
    StayId owner{};
  };
  /// All boundaries in order, and what `regionSize` says: a map without its search structure.
  struct View {
    std::span<const Boundary> boundaries{};
    std::span<const Bytes> regionSizes{};
  };
  /// Appends the content of the map to both. O(n), and little more than a copy of memory.
  void pack(std::vector<Boundary>& boundaries, std::vector<Bytes>& regionSizes) const;
  /// The map that `view` shows. O(n).
  static ChunkMap unpack(const View& view);

  /// Equal content; regions of size 0 at the end do not count.
  friend bool operator==(const ChunkMap& a, const ChunkMap& b);

 private:
  /// A run of boundaries; they lie in the slab from `slot * kBlock`.
  struct Block {
    Bytes offset{};  ///< Of its first boundary, likewise `region`.
    RegionId region{};
    std::uint32_t slot = 0;
    std::uint32_t count = 0;  ///< Never 0.
  };
  struct Place {
    std::size_t block = 0;
    std::size_t index = 0;
  };
  static constexpr std::size_t kBlock = 64;

  void change(EventKind kind, const MemoryEvent& event);
  void extend(const MemoryEvent& event);
  void shrink(const MemoryEvent& event);
  void split(const MemoryEvent& event);
  void merge(const MemoryEvent& event);
  void setOwner(const MemoryEvent& event, StayId from, StayId to);

  bool startsBefore(RegionId region, Bytes offset) const;
  Place locate(RegionId region, Bytes offset) const;
  Place placeOf(const MemoryEvent& event) const;
  Boundary* slot(std::size_t block) { return slab_.data() + directory_[block].slot * kBlock; }
  const Boundary* slot(std::size_t block) const {
    return slab_.data() + directory_[block].slot * kBlock;
  }
  const Boundary& at(Place place) const { return slot(place.block)[place.index]; }
  Bytes endOf(Place place) const;
  Chunk chunkOf(Place place) const;
  const Boundary* previous(Place place) const;

  void insertAt(Place place, Boundary boundary);
  void erase(Place place);
  Place makeRoom(Place place);
  void addBlock(std::size_t block);
  void dropBlock(std::size_t block);
  void joinWithNext(std::size_t block);
  void refreshKey(std::size_t block);

  std::vector<Block> directory_;
  std::vector<Boundary> slab_;  ///< As many slots as blocks, in no particular order.
  std::vector<Bytes> regionSizes_;
  Bytes footprint_;
  Bytes inUse_;
  std::size_t chunkCount_ = 0;
};

}  // namespace hw
