#pragma once

#include "core/graph/tiling.h"

namespace hw {

// Parts of ops that fold their input, such as the mean of an image. Each takes in some rows, and
// reads what came of those before it: a piece of the whole output, whose elements may be wider. It
// makes the next such piece, the last part the output itself.
//
//     t[r0]          -> mean[r0] -> y so far[r0]
//     t[r1], y so far[r0] -> mean[r1] -> y so far[r1]
//     …
//     t[r9], y so far[r8] -> mean[r9] -> y

// A convolution that adds up the products of some channels of its input at a time has such parts as
// well: its rows are channels.

/// Tiling::Part::axis of such parts: their rows and columns are those of what they fold, for the
/// output has none.
inline constexpr int kFoldAxis = -1;

inline bool isFoldPart(const Tiling::Part& part) { return part.axis == kFoldAxis; }

}  // namespace hw
