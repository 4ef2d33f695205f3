#pragma once

#include <vector>

#include "core/plan/metrics.h"

namespace hw {

/// The fragmentation of a pool at every step at which what lives in it changes, ascending; each
/// holds until the next. The steps and figures that `measure` takes its mean over. O(n log n).
std::vector<Fragmentation> fragmentationCurve(const Problem& problem, const Plan& plan,
                                              PoolId pool);

}  // namespace hw
