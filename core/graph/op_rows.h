#pragma once

#include "core/graph/op_table.h"

namespace hw {

/// The parts of `opTable`.
std::span<const OpInfo> firstStandardOps();
std::span<const OpInfo> moreStandardOps();
std::span<const OpInfo> runtimeOps();
std::span<const OpInfo> tfliteOps();

}  // namespace hw
