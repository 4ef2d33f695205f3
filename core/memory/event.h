#pragma once

#include <cstdint>

#include "core/base/id.h"
#include "core/base/quantity.h"

namespace hw {

/// Things that can happen to memory. They come in pairs that undo each other, so a history can be
/// walked backwards as easily as forwards; `inverse` relies on the pairs being adjacent.
enum class EventKind : std::uint8_t {
  extend,  ///< A free chunk [offset, offset + size) appears at the end of a region.
  shrink,
  split,  ///< The free chunk around `offset` is cut there; `size` is what lies above the cut.
  merge,  ///< The free chunk that starts at `offset` joins the free chunk that ends there.
  alloc,  ///< The free chunk that starts at `offset` gets an owner.
  free,
};

constexpr EventKind inverse(EventKind kind) {
  return static_cast<EventKind>(static_cast<std::uint8_t>(kind) ^ 1U);
}

/// The reason why an allocator chose an address: the key of the `detail` text, kept in every event
/// of that choice.
enum class Reason : std::uint16_t {
  none,
  exactFit,        ///< A free block of exactly this size.
  largestFree,     ///< Cut from the largest free block.
  bestFit,         ///< Cut from the smallest free block that is larger.
  tailExtension,   ///< The last free block grew into memory never used before.
  frontier,        ///< Nothing free was large enough: memory never used before.
  belowThreshold,  ///< Too small to be worth splitting for: memory never used before.
  planned,         ///< An offline planner had decided it beforehand.
  idleBlock,       ///< A block id from the idle list.
  newBlock,        ///< No block id was idle.
};

/// One change to one region of one pool. 32 bytes, plain data: traces hold millions of them.
///
/// `step` is the op around which it happens. What makes room for a stay carries the stay's first
/// step: it happens before that op runs. What a release does carries the last step the stay is
/// live at, `steps.end - 1`: it happens after that op has run. So a step's allocations come first,
/// then its op, then its releases, and steps never go backwards.
struct MemoryEvent {
  Bytes offset{};
  Bytes size{};
  /// The op that runs: that which needs the bytes for an allocation, that which is the last to use
  /// them for a release. So a release at step 3 precedes the allocations of step 4.
  std::int32_t step = 0;
  StayId stay{};  ///< The owner for alloc and free, otherwise the stay that caused the event.
  RegionId region{};
  std::uint8_t pool = 0;
  EventKind kind = EventKind::extend;
  Reason reason = Reason::none;

  PoolId poolId() const { return PoolId(pool); }
  friend bool operator==(const MemoryEvent&, const MemoryEvent&) = default;
};
static_assert(sizeof(MemoryEvent) == 32);

}  // namespace hw
