#pragma once

#include "core/tile/tile.h"

namespace hw {

/// The program that `tiled` makes, and behind it the others that the rule comes to, the lowest
/// first. The peak of each is its bound: where the rows of the first are hard to place, the plan of
/// another may be lower.
Result<std::vector<TiledProgram>> tiledWays(const std::shared_ptr<const Graph>& graph,
                                            const Schedule& schedule, const StorageOptions& options,
                                            const TileSettings& settings,
                                            const std::stop_token& stop = {});

}  // namespace hw
