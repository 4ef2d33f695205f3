#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/graph/tiling.h"

namespace hw {

/// The op of the original graph whose parts make a tensor that is a piece, or that lies where they
/// wrote it; none for whole tensors, rings, and pieces of what no parts made.
OpId pieceMaker(const Graph& graph, TensorId tensor);

/// Of each op of which several parts read `piece`, the first and the last of these: what it is kept
/// for in between is the halo of their regions.
std::vector<std::pair<OpId, OpId>> readAgain(const Graph& graph, TensorId piece);

/// Of the pieces that parts made: which elements an earlier part had made already. Columns of a
/// grid, or boxes, overlap where both need what lies between them.
class MadeAgain {
 public:
  MadeAgain() = default;
  explicit MadeAgain(const Graph& graph);

  bool empty() const { return columns_.empty(); }
  /// Stretches of bytes of the host of `piece`, in order.
  std::vector<Interval<Bytes>> stretchesOf(const Graph& graph, TensorId piece) const;

 private:
  struct Columns {
    int across = -1;  ///< The axis; none: all of the piece.
    Interval<std::int64_t> made{};
  };
  std::map<TensorId, Columns> columns_;
};

}  // namespace hw
