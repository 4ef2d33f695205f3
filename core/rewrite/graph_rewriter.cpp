#include "core/rewrite/graph_rewriter.h"

namespace hw {
std::vector<GraphBuilder::Handle> numbersOf(const std::vector<TensorId>& ids) {
  std::vector<GraphBuilder::Handle> numbers;
  numbers.reserve(ids.size());
  for (const TensorId id : ids) numbers.push_back(id ? id.index() : GraphBuilder::kAbsent);
  return numbers;
}

Tensor unlinkedTensor(Tensor tensor) {
  tensor.constant = tensor.constant && !tensor.producer;
  tensor.graphInput = tensor.graphOutput = false;
  tensor.producer = {};
  tensor.consumers.clear();
  return tensor;
}

GraphBuilder::OpParts numberedOp(const Graph& graph, OpId op) {
  const Op& from = graph.ops[op];
  return {.op = from,
          .inputs = numbersOf(from.inputs),
          .outputs = numbersOf(from.outputs),
          .captures = numbersOf(from.captures)};
}

GraphRewriter::GraphRewriter(std::shared_ptr<const Graph> original, Tiling::Kind kind)
    : tiling_{.kind = kind, .original = std::move(original)},
      builder_(tiling_.original->name, tiling_.original->format) {}

GraphRewriter::Handle GraphRewriter::addTensor(Tensor tensor, TensorId of,
                                               std::vector<std::size_t> order) {
  origins_.push_back({.whole = of, .order = std::move(order)});
  return builder_.addTensor(unlinkedTensor(std::move(tensor)));
}

GraphRewriter::Handle GraphRewriter::addPiece(Tensor tensor, Tiling::Piece piece, Handle host) {
  origins_.push_back({.piece = std::move(piece), .host = host});
  return builder_.addTensor(unlinkedTensor(std::move(tensor)));
}

void GraphRewriter::addAllTensors() {
  for (const TensorId id : original().tensors.keys()) addTensor(original().tensors[id], id);
  for (const TensorId input : original().inputs) addInput(input.index());
  for (const TensorId output : original().outputs) addOutput(output.index());
}

void GraphRewriter::addOp(OpParts parts, OpId of, std::optional<Tiling::Part> part) {
  builder_.addOp(std::move(parts));
  tiling_.opOf.add(of);
  tiling_.parts.add(part);
  batches_.add(batch_);
}

Result<Graph> GraphRewriter::build() && {
  std::vector<TensorId> ids;
  HW_TRY(graph, std::move(builder_).build(ids));
  tiling_.pieces.resize(ids.size());
  tiling_.wholeOf.resize(ids.size());
  if (tiling_.kind == Tiling::Kind::layout) tiling_.orders.resize(ids.size());
  for (std::size_t handle = 0; handle < ids.size(); ++handle) {
    Origin& origin = origins_[handle];
    if (origin.piece) origin.piece->host = ids[origin.host];
    tiling_.pieces[ids[handle]] = std::move(origin.piece);
    tiling_.wholeOf[ids[handle]] = origin.whole;
    if (tiling_.orders.size() > 0) tiling_.orders[ids[handle]] = std::move(origin.order);
  }
  tiling_.setBatches(graph, std::move(batches_));
  graph.notes = original().notes;
  graph.reordered = original().reordered;
  graph.tiling = std::make_shared<const Tiling>(std::move(tiling_));
  return std::move(graph);
}

}  // namespace hw
