#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// (before, after): the first of the two must come first.
using OrderConstraint = std::pair<std::size_t, std::size_t>;

/// The numbers [0, count) in an order that respects `constraints`; wherever there is a choice, the
/// smallest number first, so an order that is fine already stays as it is. Numbers on a cycle and
/// behind one are left out: the answer is then shorter than `count`. O((n + m) log n).
std::vector<std::size_t> stableOrder(std::size_t count,
                                     const std::vector<OrderConstraint>& constraints);

/// The same in the order in which ONNX Runtime runs operators that have these places in its file:
/// from those that nothing waits for, the last first, back to what they wait for, the greatest
/// number first; each comes once all before it are there. Shorter than `count` where there is a
/// cycle. O(n + m log m).
std::vector<std::size_t> executedOrder(std::size_t count,
                                       const std::vector<OrderConstraint>& constraints);

/// `executedOrder`, but an order that is fine already stays as it is.
std::vector<std::size_t> runtimeOrder(std::size_t count,
                                      const std::vector<OrderConstraint>& constraints);

/// The numbers of one cycle's strongly connected component, ascending: the one with the smallest
/// number of all that lie on a cycle. Empty when there is no cycle.
std::vector<std::size_t> firstCycle(std::size_t count,
                                    const std::vector<OrderConstraint>& constraints);

/// Ops whose results reach no graph output, ascending: work and memory for nothing. Folded ops do
/// not count, nor do those that change what persists or hand out nothing at all. A graph without
/// outputs has none. O(ops + uses).
std::vector<OpId> opsWithoutEffect(const Graph& graph);

/// The number of components whose ops share no tensor but weights; folded ops belong to none.
/// O(ops + uses).
std::size_t countParts(const Graph& graph);

}  // namespace hw
