#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/shrink/runtime_shrink.h"

namespace hw {

/// A TFLite file whose caller quantises: the int8 tensors that QUANTIZE made are its inputs.
struct Int8Model {
  std::string file{};
  std::vector<Int8Input> inputs{};
  Bytes taken{};  ///< Of the inputs in float32 that are gone.
};

/// `file` without the QUANTIZE operators that alone read an input in float32 and make int8 of it.
/// All else stays, but for what names tensors by their numbers: signatures, and a plan. Fails where
/// there is no such input; throws Refusal where the file is damaged.
Result<Int8Model> withInt8Inputs(std::string_view file);

using RuntimeSearch =
    std::function<Result<RuntimeShrink>(std::string_view, const RuntimeSearchOptions&)>;

/// `search` in `file` as `options.floatInputs` says. Advice takes a second search, and is left out
/// where inputs in float32 are less than half of the best head, which they then do not hold up, or
/// where the smallest way would not be smaller by a hundredth.
Result<RuntimeShrink> searchInputs(std::string_view file, const RuntimeSearchOptions& options,
                                   const RuntimeSearch& search);

}  // namespace hw
