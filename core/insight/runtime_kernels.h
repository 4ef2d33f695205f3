#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/graph/graph.h"

namespace hw {

/// Which output a CPU kernel of ONNX Runtime makes in the bytes of an input. Not our own in-place
/// rule of core/ops: most kernels there that could overwrite an input do not.
struct RuntimeKernel {
  std::string_view type{};
  std::string_view domain{};
  std::uint8_t input = 0;
  std::uint8_t output = 0;
  /// The output is the input under another shape, whoever else reads it. Else it is written over
  /// the input where nobody needs that any more and shapes and widths agree.
  bool shows = false;
};

/// What the kernel of `op` does so, in its order of preference; mostly nothing.
std::span<const RuntimeKernel> runtimeKernels(const Op& op);

}  // namespace hw
