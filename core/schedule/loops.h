#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"
#include "core/schedule/schedule.h"

namespace hw {

/// The attributes of an operator that begins a loop whose turns stand behind it, one after the
/// other: how many there are, and how many operators they have together.
inline constexpr std::string_view kTurns = "turns";
inline constexpr std::string_view kOperatorsOfTurns = "operators_of_turns";

/// A loop in an order of operators.
struct LoopTurns {
  Interval<Step> steps{};  ///< Of all turns, each of which takes as many.
  std::int64_t turns = 0;  ///< At least 2.
};

/// The loops of several equal turns whose operators run in the order of the graph.
std::vector<LoopTurns> loopTurns(const Graph& graph, const Schedule& schedule);

}  // namespace hw
