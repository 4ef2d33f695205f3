#pragma once

#include <string>
#include <string_view>

#include "core/shrink/tflm/row_shrink.h"

namespace hw {

/// The TFLite file in which `plan`, of the model in `file`, runs on tflite-micro. Throws Refusal
/// where the file is damaged.
std::string rowFile(std::string_view file, const RowPlan& plan);

/// Looks for TFLite files that make the results of `file`, bit for bit, in a smaller arena of an
/// unmodified tflite-micro on a target with pointers of `pointer` bytes, 4 or 8. Parts read and
/// write views, which are tensors without a producer that lie inside the bytes of another one;
/// where each lies is in the metadata OfflineMemoryAllocation, without which the file is wrong.
/// Chosen is the smallest; with a budget, the one within it with the fewest multiplications. Fails
/// where the runtime cannot allocate the model; a model whose operators cannot go by rows has no
/// ways in parts, and notes say why.
Result<RuntimeShrink> shrinkForTflm(std::string_view file, std::int64_t pointer,
                                    const RuntimeSearchOptions& options);

}  // namespace hw
