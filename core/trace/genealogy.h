#pragma once

#include <vector>

#include "core/trace/timeline.h"

namespace hw {

/// One byte of memory.
struct ByteAddress {
  PoolId pool{};
  RegionId region{};
  Bytes offset{};  ///< Inside the region.
};

/// For how long a byte lay in the same chunk with the same owner.
struct ByteEra {
  /// The entry of the timeline that brought it about, by index.
  std::size_t entry = 0;
  Happening happening{};
  StayId cause{};  ///< What the entry is about: not always the owner.
  Chunk chunk{};   ///< In the region. No owner: a hole, which may be part of a larger one.
  std::size_t firstMoment = 0;  ///< Trace events after which it begins.
  /// Trace events after which it is over; one more than there are for what is so at the end.
  std::size_t endMoment = 0;
  Step firstStep{};
  Step lastStep{};  ///< In which it ends; the last of the trace for what never does.
};

/// Everything that became of one byte, in time: its tenants, and between them the holes it was
/// part of as they were cut, joined and taken. Without the time before the byte was first part of
/// any chunk. Looks at the ends of timeline entries; what begins and ends within one is left out.
/// `timeline` has to be that of `trace`. O(events of the pool x log chunks).
std::vector<ByteEra> genealogy(const Trace& trace, const std::vector<TimelineEntry>& timeline,
                               const ByteAddress& byte);

}  // namespace hw
