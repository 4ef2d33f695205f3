#pragma once

#include <string>

#include "core/exchange/tflm/offline_plan.h"

namespace hw {

/// The plan of `run` as a C header, for runtimes written by hand: the arena's size and alignment,
/// an enumeration of all tensors, their offsets and sizes, and assertions that each of them fits.
/// It compiles as C99 and as C++ without warnings. With `tflm` it has the table, too, that
/// tflite-micro takes as a BufferPlan. Fails where `fixedPlaces` does.
Result<std::string> planHeader(const Run& run, const TflmPlan* tflm);

/// The letters, digits and underscores of `name`, capitals only, beginning with a letter.
std::string headerName(const std::string& name);

}  // namespace hw
