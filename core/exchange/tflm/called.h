#pragma once

#include <cstdint>
#include <vector>

#include "core/exchange/tflm/program.h"

namespace hw {

/// Gives offsets to the tensors of subgraphs that operators call, as far as they have none: around
/// those that have one, in the best of several orders. The head is never higher than with them left
/// to the runtime, which takes one of those orders; where none is lower they get its places. Where
/// they raise the head, and the runtime would do with less for all that runs, all get its places.
/// `offsets` are by tensor of the program.
void placeCalled(const TflmProgram& program, std::vector<std::int32_t>& offsets);

}  // namespace hw
