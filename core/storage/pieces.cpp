#include <algorithm>

#include "core/graph/tiling.h"
#include "core/ops/op_table.h"
#include "core/storage/view_folder.h"

namespace hw {
namespace {

/// The piece that an op reads where `out` is written; null when there is none.
const Tiling::Piece* under(const Graph& graph, const Op& op, TensorId out) {
  const Tiling::Piece* own = pieceOf(graph, out);
  for (const TensorId in : op.inputs) {
    const Tiling::Piece* piece = own != nullptr ? pieceOf(graph, in) : nullptr;
    const bool same = piece != nullptr && piece->host == own->host && piece->at == own->at &&
                      graph.tensors[in].shape == graph.tensors[out].shape;
    if (same) return piece;
  }
  return nullptr;
}

}  // namespace

void foldPieces(const Graph& graph, AliasForest& forest, Storage& storage) {
  if (!graph.tiling) return;
  for (const TensorId id : graph.tensors.keys()) {
    const Tiling::Piece* piece = pieceOf(graph, id);
    if (piece != nullptr) forest.attachPiece(id, piece->host, extentOf(graph, id).begin);
  }
  for (const OpId id : graph.ops.keys()) {
    const Op& op = graph.ops[id];
    storage.free[id] = isSeam(op);
    if (partOf(graph, id) == nullptr) continue;
    std::size_t over = 0;
    for (const TensorId out : op.outputs) {
      if (under(graph, op, out) == nullptr) continue;
      storage.inPlace.push_back(out);
      ++over;
    }
    // What only hands its rows on, and lies over them, does nothing.
    const bool hands = viewFamilyOf(op) == ViewFamily::reshape && over == op.outputs.size();
    if (hands) storage.free[id] = true;
  }
  std::ranges::sort(storage.inPlace);
}

}  // namespace hw
