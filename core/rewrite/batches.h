#pragma once

#include <cstddef>
#include <memory>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/schedule/schedule.h"

namespace hw {

/// The most inferences that a run may have, and the most operators of all of them together.
inline constexpr std::size_t kMostBatches = 1'024;
inline constexpr std::size_t kMostBatchedOps = 2'000'000;

/// `graph` so many times, one inference behind the other, each in the order of `schedule`:
/// operators and tensors of their own, with " #2" and so on behind their names from the second on,
/// on weights and state that they share. What is computed from weights only is in the first. The
/// inputs of an inference are there, and its outputs are needed, from its first step to its last
/// (`Tiling::batches`). Operators are in the order in which they run. Fails on more than the limits
/// above, and on a graph that is of several inferences already.
Result<Graph> inBatches(const std::shared_ptr<const Graph>& graph, const Schedule& schedule,
                        std::size_t count);

}  // namespace hw
