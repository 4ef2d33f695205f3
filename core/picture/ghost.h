#pragma once

#include "core/base/interval.h"
#include "core/plan/decision.h"

namespace hw {

/// A place that was considered for the selected stay and not taken, as maps draw it.
struct Ghost {
  PoolId pool{};
  Interval<Bytes> bytes{};  ///< What was free there; the stay's size where that has no end.
  Interval<Step> steps{};   ///< The stay's.
  Verdict verdict{};
  friend bool operator==(const Ghost&, const Ghost&) = default;
};

}  // namespace hw
