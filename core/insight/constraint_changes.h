#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// A planning problem without one of its constraints, to see what that costs.
struct ConstraintChange {
  std::string without{};  ///< The constraint, in words: "'a' and 'b' apart".
  Problem problem{};
};

/// Of the constraints of a run's problem that can make a plan larger, those of most bytes, at most
/// `most`: pairs that are apart, groups, reserved ranges, pins and allowed pools. None for the
/// problem of a graph.
std::vector<ConstraintChange> constraintChanges(const Run& run, std::size_t most);

/// The alternative to a penalty that the plan of a run pays, in words: the two are kept apart, and
/// all is planned again, to pay as little as possible. Costs a short planning.
std::string notPayingText(const Run& run, const ReusePenalty& paid);

}  // namespace hw
