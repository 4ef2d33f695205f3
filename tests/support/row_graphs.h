#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/graph/graph.h"

namespace hw::test {

/// A chain of three to eight operators that work row by row, with random kernels, strides,
/// dilations, pads and element types, channels first or last, now and then with a residual beside
/// it or an operator in place. `x` is its input, the last tensor its output.
Graph randomRowGraph(std::uint64_t seed);

/// One operator between x and y, of shapes that fit it, from the same draw.
Graph randomRowPair(std::uint64_t seed);

/// An operator of a hand-made graph: x -> y with one weight.
struct WalkedOp {
  std::string type{};
  Shape in{};
  Shape out{};
  Shape weight{};  ///< Empty: none.
  std::map<std::string, AttributeValue> attributes{};
  bool tflite = true;
  Dtype dtype = Dtype::float32;
  /// x is made of the graph's input `x0` before, and y pooled into one place, `y0`, behind it.
  bool inside = false;
};
Graph rowPair(const WalkedOp& op);

}  // namespace hw::test
