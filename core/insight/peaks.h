#pragma once

#include <vector>

#include "core/plan/metrics.h"

namespace hw {

/// A stretch of steps that is higher than what lies beside it.
struct LocalPeak {
  Interval<Step> steps{};
  Bytes bytes{};
  friend bool operator==(const LocalPeak&, const LocalPeak&) = default;
};

/// The local peaks of `curve`, which ends before `end`: the highest first, equal ones in time. A
/// plateau counts once. O(n log n).
std::vector<LocalPeak> localPeaks(const StepFunction& curve, Step end);

}  // namespace hw
