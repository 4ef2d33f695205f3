#pragma once

#include "core/exchange/onnx/part_file.h"
#include "core/shrink/runtime_shrink.h"

namespace hw {

/// Looks for runs of operators that ONNX Runtime executes in blocks of rows, such that it asks for
/// fewer bytes at once. A run begins and ends anywhere, but only its last tensor is read outside;
/// each block makes what it needs of the tensors inside, borders again. In a round each run around
/// the fullest moment is tried, with more blocks where it is good, beside the runs of the round
/// before. Deterministic, whatever the number of threads. Chosen is the smallest; with a budget,
/// the one within it with the fewest multiplications.
Result<RuntimeShrink> shrinkForOrt(const OnnxSource& source, const RuntimeSearchOptions& options);

}  // namespace hw
