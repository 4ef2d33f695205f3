#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "core/plan/plan.h"

namespace hw {

struct PlanContext;

/// The limits of a search for a fast plan.
struct HasteLimits {
  std::int64_t looks = 0;  ///< Stays and activities looked at.
  double seconds = 0;      ///< This long instead; 0: by looks, so that runs repeat.
};

/// Asks for a plan within the same capacities with which the run ends sooner; notes and a table of
/// it tell how. Allocators see no ops and no machine: whoever runs them, knows both and may change
/// what was planned once that is over hands this in (docs/adr/0016).
using Hasten = std::function<void(const Problem&, const PlanContext&, const HasteLimits&, Plan&)>;

/// The table of a plan that was made faster: one row for every improvement.
inline constexpr std::string_view kHasteTable = "latency search";

}  // namespace hw
