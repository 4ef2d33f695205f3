#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/graph/graph.h"
#include "core/ops/loops.h"

namespace hw {

/// The work that an op asks of a compute unit: multiply-accumulates, or where there are none,
/// elements. The unit says which it counts.
struct Work {
  std::int64_t macs = 0;
  std::int64_t written = 0;  ///< Elements of its outputs.
  std::int64_t touched = 0;  ///< Elements it looks at: of pooling a window for each it writes.
  /// Of convolutions, pooling and matrix products, where their shapes say them.
  std::optional<Loops> loops{};
  Slide down{};  ///< Of convolutions and pooling with loops: along Loop::row, of two axes at most,
  Slide across{};  ///< and along Loop::column.
  /// The reason why the work is unknown ("the shape of its input 'x' is unknown"), else empty.
  std::string unknown{};
};

/// The work of one op, from its type, attributes and shapes:
///
///     Conv            output elements x kernel volume x input channels / groups
///     ConvTranspose   input elements x kernel volume x output channels / groups
///     Gemm, MatMul    output elements x K
///     LSTM, GRU, RNN  steps x batch x elements of W and R, which is gates x H x (I + H)
///     Attention       Tk x (elements of Q + elements of the output), and projections
///     SVDF and TFLite's recurrences   rows of the input x elements of all weight matrices
///     FULLY_CONNECTED output elements x last dimension of the weight
///     pooling         elements: touched are output elements x window
///     anything else   elements: touched are the larger of all outputs and the largest input
///
/// A part of an op has its share, and so have its loops, where one of them goes along its axis. A
/// folded op has none. A quantised or fused variant counts like its plain form, and so does an
/// operator of TFLite, whose weights lie otherwise (core/ops/op_rows_tflite.cpp).
Work workOf(const Graph& graph, OpId id);

}  // namespace hw
