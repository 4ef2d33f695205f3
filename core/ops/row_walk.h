#pragma once

#include <optional>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"

namespace hw {

/// The rows of one input that each output row of an op is made of, for a kernel that writes each
/// row once, after reading what the row needs. A row is contiguous in memory. Where an op works
/// plane by plane, all of it happens once a plane, planes in memory order.
///
///     NHWC, batch 1      one plane: rows are W x C elements
///     NCHW, by channel   a plane for each channel, rows of W elements; for grouped convolutions a
///                        plane for each group, of one row, since each of its channels reads all
///     products           one plane: a row of A makes a row of the result
struct RowWalk {
  TensorId input{};
  std::int64_t planes = 1;
  std::int64_t inRows = 1;  ///< Of a plane.
  Bytes inRow{};            ///< Bytes of one.
  Bytes outRow{};
  /// By output row of a plane: the rows of the input plane that it reads, or more; ending before it
  /// begins where it reads none.
  std::vector<Interval<std::int64_t>> reads{};
};

/// Nothing for ops that do not work so, whose operands are not known well enough, or that read
/// something else besides weights that their windows slide over.
std::optional<RowWalk> rowWalkOf(const Graph& graph, const Op& op);

/// The least distances between the beginnings of output and input: the output lies so far below for
/// a kernel that runs from the first row to the last, or so far above for one that runs the other
/// way. docs/less.md, "overlap". Not negative.
struct RowDistances {
  Bytes up{};
  Bytes down{};
};
RowDistances rowDistances(const RowWalk& walk);

}  // namespace hw
