#pragma once

#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace hw {

// Tensors and ops of one graph as they go into another that is made of it.

/// The same bytes, with nothing that links would say.
Tensor bareTensor(const Tensor& from);

/// The same op, without operands.
Op bareOp(const Op& from);

/// Parts or Whole (core/graph/tiling.h) of what is called `tensor`.
Op seamOp(std::string_view type, const std::string& tensor);

/// Room for what came so far of folding elements of `tensor`, which are too narrow for it.
Tensor widened(Tensor tensor);

}  // namespace hw
