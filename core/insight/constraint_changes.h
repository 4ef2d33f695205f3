#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// A constraint that may be left out of a model, to see what it costs.
struct ConstraintChange {
  std::string without{};               ///< The constraint, in words: "'a' and 'b' apart".
  std::function<void(Model&)> take{};  ///< Takes it out of a copy of `modelAsGiven`.
};

/// The model of a run, its problem, if it is one, with pools as before the run decided them.
Model modelAsGiven(const Run& run);

/// Of the constraints of a run's problem, or of the rules about tensors of its graph, that can make
/// a plan larger, those of most bytes, at most `most`: pairs that are apart, groups, reserved
/// ranges, pins and allowed pools.
std::vector<ConstraintChange> constraintChanges(const Run& run, std::size_t most);

/// The alternative to a penalty that the plan of a run pays, in words: the two are kept apart, and
/// all is planned again, to pay as little as possible. Costs a short planning.
std::string notPayingText(const Run& run, const ReusePenalty& paid);

}  // namespace hw
