#pragma once

#include <span>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// The graph that runs `ops` of `graph`, which respect its data: every op at least once, some
/// again. A reader reads what was made last before it. What runs again, and what it makes, is
/// called as the first is, and "again", "again 2", …; the `tiling` says which is which. Those that
/// run again have to be repeatable (`isRepeatable`).
Result<Graph> repeatedGraph(std::shared_ptr<const Graph> graph, std::span<const OpId> ops);

}  // namespace hw
