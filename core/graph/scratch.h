#pragma once

#include "core/graph/graph.h"

namespace hw {

/// Scratch: bytes that an op needs for as long as it runs, as a tensor of its own, which it makes
/// last and nobody reads. The model has none: what sets it aside (core/rewrite/set_aside.h) says so
/// with a tiling, in which scratch is a whole tensor of nothing. It takes bytes only where the op
/// makes use of it, by running over its input.
bool isScratch(const Graph& graph, TensorId tensor);

/// The scratch of an op of `graph`; none for most.
TensorId scratchOf(const Graph& graph, const Op& op);

/// The graph that this one was made of, where nothing but scratch was added; else null.
const Graph* withoutScratch(const Graph& graph);

}  // namespace hw
