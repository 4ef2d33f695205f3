#pragma once

#include <cstddef>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// Ops whose results reach no graph output, ascending: work and memory for nothing. Folded ops do
/// not count, nor do those that change what persists or hand out nothing at all. A graph without
/// outputs has none. O(ops + uses).
std::vector<OpId> opsWithoutEffect(const Graph& graph);

/// Into how many parts the ops fall that share no tensor but weights; folded ops belong to none.
/// O(ops + uses).
std::size_t countParts(const Graph& graph);

}  // namespace hw
