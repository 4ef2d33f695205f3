#pragma once

#include "core/picture/pareto_scene.h"
#include "core/study/compare.h"

namespace hw {

/// Peak against latency of the rows that fit and plan all that was asked for, with the walls of one
/// platform; no points where nothing was simulated.
ParetoScene paretoScene(const Comparison& comparison);

/// The picture of it as a file. Fails where nothing was simulated: a planning
/// problem has no operators.
Result<std::string> paretoSvg(const Comparison& comparison, const Palette& palette);

}  // namespace hw
