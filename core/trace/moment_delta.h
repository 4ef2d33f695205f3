#pragma once

#include "core/trace/trace.h"

namespace hw {

/// What lies between two moments of a trace, over all pools.
struct MomentDelta {
  Bytes live{};       ///< Bytes in use at the second, less those at the first.
  Bytes allocated{};  ///< Bytes that got an owner in between, whichever moment is the earlier.
  Bytes released{};   ///< Bytes that lost theirs.
  friend bool operator==(const MomentDelta&, const MomentDelta&) = default;
};

/// Bytes in use in all pools after `moment` events. O(log events).
Bytes liveAt(const Trace& trace, std::size_t moment);

/// Moments are counts of events, at most the trace's. O(events in between).
MomentDelta momentDelta(const Trace& trace, std::size_t first, std::size_t second);

}  // namespace hw
