#pragma once

#include <cstdint>
#include <vector>

#include "core/exchange/tflm/program.h"

namespace hw {

/// The layout of tflite-micro's arena, byte for byte.
struct TflmArena {
  /// By tensor of the program, then by its scratch; nothing: the runtime gives it no bytes.
  std::vector<std::optional<Bytes>> offsets{};
  Bytes head{};  ///< One past the highest byte of those.
};

/// Follows the runtime's own planner (greedy_memory_planner.cc): `offsets`, by tensor, stand as
/// they are; all others go largest first into the lowest gap of their time that is large enough.
/// Empty `offsets`: a file without a plan.
TflmArena tflmArena(const TflmProgram& program, const std::vector<std::int32_t>& offsets);

/// Gives those of `order` the lowest place each that is free then, around what has one in
/// `offsets`. False: one would lie beyond 2 GiB, which offsets cannot say.
bool placeInOrder(const TflmProgram& program, const std::vector<std::size_t>& order,
                  std::vector<std::int32_t>& offsets);

/// Gives offsets to the tensors of subgraphs that operators call, as far as they have none: around
/// those that have one, in the best of several orders. The head is never higher than with them left
/// to the runtime, which takes one of those orders; where none is lower they get its places. Where
/// they raise the head, and the runtime would do with less for all that runs, all get its places.
/// `offsets` are by tensor of the program.
void placeCalled(const TflmProgram& program, std::vector<std::int32_t>& offsets);

}  // namespace hw
