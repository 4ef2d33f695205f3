#pragma once

#include <cstdint>

#include "core/exchange/tflm/program.h"

namespace hw {

/// About how many bytes tflite-micro keeps at the tail of its arena, which is not planned: lists of
/// tensors and operators, what kernels keep from run to run, and all variables, resources too. An
/// estimate: kernels of other versions and of vendors keep more or less, how many resources there
/// may be is the application's choice, and of custom operators nothing is known. `pointer` is the
/// target's, 4 or 8 bytes.
Bytes tflmTail(const TfliteFile& file, const TflmProgram& program, std::int64_t pointer);

}  // namespace hw
