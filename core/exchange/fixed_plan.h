#pragma once

#include "core/run/run.h"

namespace hw {

/// Where every tensor of the model is, from the first step to the last, in the one memory that the
/// plan has: what runtimes can be told. Nothing: it has no place of its own there. Fails, with what
/// it is, on what offsets alone cannot say: plans that do not fit, several memories, moves, graphs
/// whose operators run in parts or again, operators in another order than the file's.
Result<IdMap<TensorId, std::optional<Bytes>>> fixedPlaces(const Run& run);

}  // namespace hw
