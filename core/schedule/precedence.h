#pragma once

#include <vector>

#include "core/schedule/schedule.h"

namespace hw {

/// Which ops have to run before which: those that make what an op reads, captures included, and of
/// the ops that touch a persistent tensor (a variable, the state of a resource) those that came
/// first in the graph's own order.
struct Precedence {
  IdMap<OpId, std::vector<OpId>> before{};  ///< Directly before each op; ascending, each once.
  IdMap<OpId, std::vector<OpId>> after{};   ///< The same pairs from the other end.
};

/// O(n + m log m) for m operands.
Precedence precedenceOf(const Graph& graph);

/// True when `order` has every op once, and none before one that it has to come after.
bool respects(const std::vector<OpId>& order, const Precedence& precedence);

}  // namespace hw
