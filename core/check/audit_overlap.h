#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// Bytes that somebody holds for some steps.
struct Holding {
  std::size_t owner = 0;  ///< Of the caller's choosing; handed back in conflicts.
  std::size_t group = 0;  ///< Holdings of one group may share memory.
  std::size_t pool = 0;
  Interval<Bytes> bytes{};
  Interval<Step> steps{};
};

struct HoldingCheck {
  std::vector<std::pair<Holding, Holding>> conflicts{};  ///< Pairs of different groups.
  Bytes peakLive{};  ///< Most bytes held at one step over all pools, shared ones once.
};

/// Finds holdings that share memory and time without being of one group.
HoldingCheck checkHoldings(const std::vector<Holding>& holdings, std::size_t pools);

}  // namespace hw
