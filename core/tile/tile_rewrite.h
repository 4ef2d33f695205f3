#pragma once

#include "core/base/result.h"
#include "core/tile/run_choice.h"

namespace hw {

/// The graph in which the runs of `choice` are parts: an op for each, in the order in which they
/// run, and pieces of tensors that lie in rings, or in the tensors that the runs begin and end
/// with. Its `tiling` says what is a part of what.
Result<Graph> tiledGraph(std::shared_ptr<const Graph> graph, const TileProgram& program,
                         const RunChoice& choice);

}  // namespace hw
