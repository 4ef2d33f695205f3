#pragma once

#include <optional>
#include <span>

#include "core/latency/timed_work.h"
#include "core/sim/latency_account.h"

namespace hw {

/// A latency that no addresses within the capacities (by pool; nothing: unbounded) undercut, with
/// these stays, these moves and this order.
///
/// If, as X starts while Y has not ended, the stays that are certainly open (opened by X or what X
/// needs, and still needed by X, by Y or by what comes after them) exceed a capacity, then Y has to
/// end before X starts. Such orders are added until no more follow; the longest path through all of
/// them bounds the latency, and so does what each port has to move. Where the packing of addresses
/// costs time, or contention does, it knows nothing of that.
///
/// Of activities only those in lanes are ordered: with engines of several channels it is less
/// tight, never wrong. At most kBoundRounds x activities x lanes x stays.
LatencyBound capacityBound(const TimedWork& work, std::span<const std::optional<Bytes>> capacities);
inline constexpr int kBoundRounds = 12;

}  // namespace hw
