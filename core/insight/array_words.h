#pragma once

#include <string>

#include "core/run/run.h"

namespace hw {

/// True where a unit counts cycles by the shape of an array.
bool hasArrays(const Platform& platform);

/// "27 % of the array: 3 input channels on 32" of the operator at a step; empty where it multiplies
/// nothing, or its unit counts cycles by a rate.
std::string arrayWords(const Run& run, Step step);

}  // namespace hw
