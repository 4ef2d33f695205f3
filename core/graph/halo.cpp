#include "core/graph/halo.h"

#include <algorithm>
#include <tuple>

namespace hw {

OpId pieceMaker(const Graph& graph, TensorId tensor) {
  const Tiling::Piece* piece = pieceOf(graph, tensor);
  if (piece == nullptr) return {};
  const OpId producer = graph.tensors[tensor].producer;
  if (!producer) return {};
  if (partOf(graph, producer) != nullptr) return graph.tiling->opOf[producer];
  // A view into a whole tensor, which parts of another run may have made.
  const OpId whole = graph.tensors[piece->host].producer;
  if (!whole || graph.ops[whole].type != kWholeType || !isSeam(graph.ops[whole])) return {};
  return graph.tiling->original->tensors[piece->of].producer;
}

std::vector<std::pair<OpId, OpId>> readAgain(const Graph& graph, TensorId piece) {
  std::map<OpId, std::pair<OpId, OpId>> reads;
  for (const OpId reader : graph.tensors[piece].consumers) {
    if (partOf(graph, reader) == nullptr) continue;
    const auto [at, isNew] = reads.try_emplace(graph.tiling->opOf[reader], reader, reader);
    if (!isNew) at->second.second = reader;
  }
  std::vector<std::pair<OpId, OpId>> again;
  for (const auto& [op, parts] : reads) {
    if (parts.first != parts.second) again.push_back(parts);
  }
  return again;
}

MadeAgain::MadeAgain(const Graph& graph) {
  if (!graph.tiling) return;
  // By tensor of the original graph and row: the columns that are made so far.
  std::map<std::tuple<TensorId, std::int64_t>, std::vector<Interval<std::int64_t>>> made;
  for (const OpId op : graph.ops.keys()) {
    const Tiling::Part* part = partOf(graph, op);
    if (part == nullptr || isFoldPart(*part)) continue;
    for (const TensorId output : graph.ops[op].outputs) {
      const Tiling::Piece* piece = pieceOf(graph, output);
      if (piece == nullptr) continue;
      Interval<std::int64_t> columns{0, 1};
      if (part->across >= 0) {
        const auto axis = static_cast<std::size_t>(part->across);
        const std::int64_t begin = piece->begin[axis];
        columns = {begin, begin + (*graph.tensors[output].shape)[axis]};
      }
      auto& before = made[{piece->of, piece->begin[static_cast<std::size_t>(part->axis)]}];
      Interval<std::int64_t> again{columns.begin, columns.begin};
      for (const Interval<std::int64_t>& each : before) {
        if (!each.overlaps(columns)) continue;
        // Columns go from left to right: what is made again lies at one end.
        again.cover({std::max(each.begin, columns.begin), std::min(each.end, columns.end)});
      }
      before.push_back(columns);
      if (!again.empty()) columns_[output] = {part->across, again};
    }
  }
}

std::vector<Interval<Bytes>> MadeAgain::stretchesOf(const Graph& graph, TensorId piece) const {
  const auto found = columns_.find(piece);
  if (found == columns_.end()) return {};
  const auto& [across, columns] = found->second;
  if (across < 0) return hw::stretchesOf(graph, piece);
  const Tiling::Piece& box = *pieceOf(graph, piece);
  const Tensor& own = graph.tensors[piece];
  const auto axis = static_cast<std::size_t>(across);
  Shape shape = *own.shape;
  Shape at = box.at;
  at[axis] += columns.begin - box.begin[axis];
  shape[axis] = columns.length();
  std::vector<Interval<Bytes>> stretches;
  forEachStretch(*graph.tensors[box.host].shape, at, shape, elementSize(own).value_or(Bytes(1)),
                 [&](Bytes offset, Bytes length) {
                   stretches.push_back({offset, offset + length});
                 });
  return stretches;
}

}  // namespace hw
