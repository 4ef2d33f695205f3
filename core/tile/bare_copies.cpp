#include "core/tile/bare_copies.h"

#include <fmt/format.h>

#include "core/graph/tiling.h"

namespace hw {

Tensor bareTensor(const Tensor& from) {
  Tensor copy = from;
  copy.graphInput = copy.graphOutput = false;
  copy.producer = {};
  copy.consumers.clear();
  if (from.producer) copy.constant = false;
  return copy;
}

Op bareOp(const Op& from) {
  Op copy = from;
  copy.inputs.clear();
  copy.outputs.clear();
  copy.captures.clear();
  return copy;
}

Op seamOp(std::string_view type, const std::string& tensor) {
  return {.name = fmt::format("{} {}", type == kPartsType ? "parts of" : "all of", tensor),
          .type = std::string(type),
          .domain = std::string(kTileDomain)};
}

Tensor widened(Tensor tensor) {
  const bool real = tensor.dtype == Dtype::float16 || tensor.dtype == Dtype::bfloat16 ||
                    tensor.dtype == Dtype::float8 || tensor.dtype == Dtype::float4;
  tensor.name += " so far";
  tensor.dtype = real ? Dtype::float32 : Dtype::int32;
  tensor.bytes = packedSize(tensor.dtype, *elementCount(*tensor.shape));
  return tensor;
}

}  // namespace hw
