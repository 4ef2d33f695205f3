#pragma once

#include <QPointF>
#include <vector>

#include "core/plan/metrics.h"
#include "core/run/run.h"

namespace hw {

/// Most bytes in use during each step of a run in one pool, read off its trace; a run without a
/// trace gives what its stays ask for.
StepFunction liveCurve(const Run& run, PoolId pool);

/// The largest footprint so far at each step: what has ever been touched. Never falls.
StepFunction highWaterCurve(const Run& run, PoolId pool);

/// `curve` between two steps as a polyline of stairs: consecutive points differ in x or in y, never
/// in both. From more pieces than `limit` allows, columns are made that each show the least, the
/// greatest and the last value within them, so that no peak is lost. `limit` is at least 8.
std::vector<QPointF> stairs(const StepFunction& curve, double begin, double end, std::size_t limit);

}  // namespace hw
