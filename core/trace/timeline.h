#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace hw {

/// What a person sees happen, read off the undoable pairs (docs/formats/events.md).
enum class Happening : std::uint8_t {
  fresh,    ///< Memory never used before.
  reuse,    ///< A free block of exactly the right size.
  split,    ///< Part of a free block.
  extend,   ///< A free block at the frontier, made larger.
  release,  ///< The owner is done.
  merge,    ///< The freed block joined free neighbours; the interval is the joined block.
};

std::string_view happeningName(Happening happening);

struct TimelineEntry {
  Happening happening{};
  std::size_t firstEvent = 0;  ///< Events [firstEvent, lastEvent) of the trace make it up.
  std::size_t lastEvent = 0;
  Step step{};
  PoolId pool{};
  RegionId region{};
  StayId stay{};
  Bytes offset{};  ///< Inside the region; of the stay, or of the joined block for a merge.
  Bytes size{};
  Reason reason = Reason::none;
  Bytes freeBefore{};   ///< What was joined or cut: the free block's size before, 0 when fresh.
  StayId formerTenant{};  ///< The last owner of the first byte, none when fresh; for "reuses x".
  Bytes largestHole{};  ///< Pool 0 just before, for entries that spilled to a later pool.
  Bytes holes{};        ///< All free bytes of pool 0 just before, likewise.
};

/// Groups a story into what people call events. O(n log n).
std::vector<TimelineEntry> describe(const std::vector<MemoryEvent>& story, std::size_t pools);

}  // namespace hw
