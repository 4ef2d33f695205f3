#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/interval.h"
#include "core/plan/metrics.h"
#include "core/plan/plan.h"

namespace hw {

// What a plan makes of the permissions of Problem::overlaps. While both are there, bytes that both
// have count for the one that came later, whichever of the two needs them at the moment: the other
// shrinks.

/// The reason why two may share bytes: the rows that a kernel makes, from the first to the last or
/// the other way, or parts that are never needed at once.
enum class OverlapWay : std::uint8_t { forward, reverse, parts };

/// Their words in plan files: "forward", "reverse", "parts".
std::string_view overlapWayName(OverlapWay way);
std::optional<OverlapWay> overlapWayNamed(std::string_view name);

/// The bytes that the two of an overlap share, in their region; empty where they share none.
Interval<Bytes> sharedBytes(const Problem& problem, const Plan& plan, const Overlap& overlap);

/// True if `over`, which shares bytes with `under`, begins far enough below it; else it lies far
/// enough above.
bool liesBelow(const Problem& problem, const Plan& plan, const Overlap& overlap);

/// A kernel whose output lies below its input has to run forwards; else it has to run the other
/// way.
OverlapWay wayOf(const Problem& problem, const Plan& plan, const Overlap& overlap);

/// The bytes of `under` that are left beside them, ascending: one stretch, two, or none.
std::vector<Interval<Bytes>> restOf(const Problem& problem, const Plan& plan,
                                    const Overlap& overlap);

/// A sentence, without full stop, on the bytes that `stay` shares with the input that it is made
/// of, or with the output that is made of it: "it overlaps the input it is made of by 96 bytes, 32
/// below it, …". Empty where it shares none.
std::string overlapText(const Problem& problem, const Plan& plan, StayId stay);

/// `liveBytes` over all stays, bytes that two of an overlap share counted once.
StepFunction liveBytes(const Problem& problem, const Plan& plan);
/// The same at one step, without the rest. O(stays).
Bytes liveBytesAt(const Problem& problem, const Plan& plan, Step step);

/// By how many bytes the two together can stay below the sum of their sizes at most.
Bytes mostShared(const Problem& problem, const Overlap& overlap);

}  // namespace hw
