#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

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

}  // namespace hw
