#pragma once

#include <optional>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"

namespace hw {

/// How an op makes its output row by row out of rows of one input: what a kernel that writes each
/// row once, when it has read what the row needs, still has to find. A row is what is contiguous in
/// memory; where an op works plane by plane, all of it happens once a plane, planes in memory
/// order.
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

/// How far the beginning of the output has to be from that of the input: so far below it at least
/// for a kernel that runs from the first row to the last, or so far above for one that runs the
/// other way. docs/less.md, "overlap". Not negative.
struct RowDistances {
  Bytes up{};
  Bytes down{};
};
RowDistances rowDistances(const RowWalk& walk);

}  // namespace hw
