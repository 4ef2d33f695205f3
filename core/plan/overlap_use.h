#pragma once

#include <string>
#include <vector>

#include "core/base/interval.h"
#include "core/plan/metrics.h"
#include "core/plan/plan.h"

namespace hw {

// What a plan makes of the permissions of Problem::overlaps. While the op runs, bytes that both
// have count for the output, whichever of the two needs them at the moment: the input shrinks.

/// The bytes that the two of an overlap share, in their region; empty where they share none.
Interval<Bytes> sharedBytes(const Problem& problem, const Plan& plan, const Overlap& overlap);

/// True if the kernel that makes the output of two that share bytes has to run from the first row
/// to the last: it begins far enough below. Else it has to run the other way.
bool runsForward(const Problem& problem, const Plan& plan, const Overlap& overlap);

/// The bytes of `under` that are left beside them, ascending: one stretch, two, or none.
std::vector<Interval<Bytes>> restOf(const Problem& problem, const Plan& plan,
                                    const Overlap& overlap);

/// A sentence, without full stop, on the bytes that `stay` shares with the input that it is made
/// of, or with the output that is made of it: "it overlaps the input it is made of by 96 bytes, 32
/// below it, …". Empty where it shares none.
std::string overlapText(const Problem& problem, const Plan& plan, StayId stay);

/// `liveBytes` over all stays, bytes that two of an overlap share counted once in their step.
StepFunction liveBytes(const Problem& problem, const Plan& plan);
/// The same at one step, without the rest. O(stays).
Bytes liveBytesAt(const Problem& problem, const Plan& plan, Step step);

/// By how many bytes the two together can stay below the sum of their sizes at most.
Bytes mostShared(const Problem& problem, const Overlap& overlap);

}  // namespace hw
