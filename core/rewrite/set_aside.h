#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// The name of the scratch of an op.
std::string scratchName(const Graph& graph, OpId op);

/// `graph` in which the ops that can run channel by channel over their input (`channelScratch`)
/// make the scratch that they need for it, too, if `wanted`: then, and only then, sharing storage
/// lets them. The `tiling` says that nothing else is new. `graph` itself where there are none, or
/// where it was rewritten, and so has such scratch, already. O(n).
Result<std::shared_ptr<const Graph>> scratchSetAside(std::shared_ptr<const Graph> graph,
                                                     const std::function<bool(OpId)>& wanted);

}  // namespace hw
