#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"

namespace hw {

/// Which elements of its inputs one element of an op's output is made of, from what the operator
/// means, tap by tap. Slow, and shares nothing with core/ops/regions.h, which it judges.
///
/// Calls `visit(input, index)` for each, maybe more than once. Elements of weights are left out.
/// False when it does not know the op.
bool forEachSource(const Graph& graph, OpId op, std::size_t output, const Shape& index,
                   const std::function<void(std::size_t input, const Shape& index)>& visit);

/// An op as its kernel runs: one row of the output after the other, each element written when all
/// that it is made of has been read; so what a row is made of has to last until it is written.
/// Worked out from what the op means, tap by tap, and not from the
/// formula that planners go by (core/ops/row_walk.h). Rows are numbered through all planes.
struct RowScript {
  TensorId input{};
  TensorId output{};
  Bytes inRow{};  ///< Bytes of one.
  Bytes outRow{};
  std::int64_t inRows = 0;
  std::int64_t outRows = 0;
  /// The rows of the input that an output row is made of, in any order.
  std::function<std::vector<std::int64_t>(std::int64_t row)> reads{};
};

/// Nothing for ops that are not made of rows, or whose operands are not known.
std::optional<RowScript> rowScriptOf(const Graph& graph, const Op& op);

/// The first output row whose bytes hold something that it or a row after it still reads, were the
/// tensors at these addresses; `forward`: rows run from the first to the last. Nothing: there is
/// none.
std::optional<std::int64_t> firstSpoiler(const RowScript& script, Bytes input, Bytes output,
                                         bool forward);

/// Bytes of a tensor at equal distances: `count` stretches of `length`, each `pitch` behind the one
/// before.
struct ByteStride {
  Bytes begin{};
  Bytes length{};
  Bytes pitch{};
  std::int64_t count = 1;
};

/// A convolution as a kernel runs it that goes over its input: for each channel of each image, in
/// order, it makes the plane in scratch, and puts it into the output when all is made. Worked out
/// from what the op means, and not from the rule that says which ops may (`channelScratch`).
struct ChannelScript {
  TensorId input{};
  TensorId output{};
  bool last = false;  ///< Channels are the last axis.
  std::int64_t images = 1;
  std::int64_t groups = 1;
  struct Side {
    std::int64_t channels = 1;
    std::int64_t places = 1;  ///< Of one channel of one image.
    Bytes element{};
  };
  Side in{};
  Side out{};

  /// Bytes that scratch has to hold.
  Bytes plane() const { return out.element * out.places; }
  /// The channels of the input that an output channel is made of.
  Interval<std::int64_t> reads(std::int64_t channel) const;
  /// Bytes of a channel of an image in its tensor.
  ByteStride strideOf(const Side& side, std::int64_t image, std::int64_t channel) const;
};

/// Nothing for ops that are no convolutions, or whose operands are not known.
std::optional<ChannelScript> channelScriptOf(const Graph& graph, const Op& op);

/// Fault of scratch for an op of `graph`: it is too small for a plane, somebody reads it,
/// or, asked element by element at the corners of each channel (`forEachSource`), the op makes
/// channels of others. Empty: nothing.
std::string scratchFault(const Graph& graph, OpId op, const Tensor& scratch);

}  // namespace hw
