#pragma once

#include <optional>
#include <span>

#include "core/latency/timed_work.h"
#include "core/sim/latency_account.h"

namespace hw {

/// A latency that no addresses within the capacities (by pool; nothing: unbounded) undercut, with
/// these stays, these moves and this order.
///
/// At a moment at which X has started and Y runs, some stays are certainly open: opened by the two
/// or what they need, and still needed by Y or what comes after it. Where these exceed a capacity,
/// Y has to end before X starts, in every plan: X cannot take its room early, for Y would never get
/// its own. The same where Y has not started and the stays that X needs count, too, one by one
/// along the lanes and the longest chain of computes. Such orders are added until no more follow.
/// The longest path through all of them bounds the latency, where nothing starts before every port
/// can have moved what has to end before, nor before moves and computes that slow each other down
/// can have done it (see `LaneMixes`); and so does what each port has to move in all. How addresses
/// are packed is not looked at.
///
/// Of activities only those in lanes are ordered: with engines of several channels it is less
/// tight, never wrong. So it is where a program is so large that the orders take too many looks.
LatencyBound capacityBound(const TimedWork& work, std::span<const std::optional<Bytes>> capacities);
inline constexpr int kBoundRounds = 12;

}  // namespace hw
