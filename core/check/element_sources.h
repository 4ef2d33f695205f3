#pragma once

#include <functional>

#include "core/graph/graph.h"

namespace hw {

/// Which elements of its inputs one element of an op's output is made of, from what the operator
/// means, tap by tap. Slow, and shares nothing with core/ops/regions.h, which it judges.
///
/// Calls `visit(input, index)` for each, maybe more than once. Elements of weights are left out.
/// False when it does not know the op.
bool forEachSource(const Graph& graph, OpId op, std::size_t output, const Shape& index,
                   const std::function<void(std::size_t input, const Shape& index)>& visit);

}  // namespace hw
