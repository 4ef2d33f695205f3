#pragma once

#include <vector>

#include "core/exchange/tflm/program.h"

namespace hw {

/// Where tflite-micro puts everything, byte for byte.
struct TflmArena {
  /// By tensor of the program, then by its scratch; nothing: the runtime gives it no bytes.
  std::vector<std::optional<Bytes>> offsets{};
  Bytes head{};  ///< One past the highest byte of those.
};

/// What the runtime's own planner (greedy_memory_planner.cc) does: `offsets`, by tensor, stand as
/// they are; all others go largest first into the lowest gap of their time that is large enough.
/// Empty `offsets`: a file without a plan.
TflmArena tflmArena(const TflmProgram& program, const std::vector<std::int32_t>& offsets);

/// Gives those of `order` the lowest place each that is free then, around what has one in
/// `offsets`. False: one would lie beyond 2 GiB, which offsets cannot say.
bool placeInOrder(const TflmProgram& program, const std::vector<std::size_t>& order,
                  std::vector<std::int32_t>& offsets);

}  // namespace hw
