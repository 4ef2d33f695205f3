#pragma once

#include <string>
#include <vector>

#include "core/picture/canvas.h"
#include "core/run/run.h"

namespace hw {

/// A size that a map or chart marks across its whole width.
struct ReferenceLine {
  enum class Kind { capacity, peak, lowerBound };
  Kind kind{};
  Bytes bytes{};
  std::string label{};
};

/// How a reference line is drawn, everywhere.
Stroke strokeOf(ReferenceLine::Kind kind);

/// The sizes worth marking for one pool, capacity first. A highest address that meets the
/// live peak gives one line that says so. Without metrics of that pool there is no live peak.
std::vector<ReferenceLine> referenceLines(const Run& run, PoolId pool);

/// Where a map of the whole pool ends: a little above the highest line worth seeing. A capacity far
/// above everything else is not.
double fullByteRange(const Run& run, PoolId pool);

/// The pools that something lives in.
std::vector<PoolId> usedPools(const Run& run);

}  // namespace hw
