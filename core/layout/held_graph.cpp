#include "core/layout/held_graph.h"

#include <algorithm>

namespace hw {
namespace {

Shape withRank(const Shape& shape, std::size_t rank) {
  Shape all(rank - std::min(rank, shape.size()), 1);
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

}  // namespace

HeldGraph::HeldGraph(std::shared_ptr<const Graph> graph)
    : original_(std::move(graph)),
      graph_(*original_),
      builder_(graph_.name, graph_.format),
      copies_(graph_.tensors.size()) {
  // What no op that does anything makes, but for inputs: those come as their readers like them.
  for (const TensorId id : graph_.tensors.keys()) {
    const Tensor& tensor = graph_.tensors[id];
    const bool input = tensor.graphInput && !tensor.constant && !tensor.persistent;
    if (!tensor.producer && !input) makeGiven(id);
  }
}

HeldGraph::Handle HeldGraph::addTensor(TensorId of, Tensor tensor, AxisOrder order, bool same) {
  if (tensor.producer) tensor.constant = false;  // The builder says so again.
  tensor.graphInput = tensor.graphOutput = false;
  tensor.producer = {};
  tensor.consumers.clear();
  wholeOf_.push_back(same ? of : TensorId());
  orders_.push_back(same ? std::move(order) : AxisOrder());
  return builder_.addTensor(std::move(tensor));
}

HeldGraph::Handle HeldGraph::make(TensorId id, const AxisOrder& order) {
  Tensor tensor = graph_.tensors[id];
  if (tensor.shape && !isAsGiven(order)) tensor.shape = heldShape(*tensor.shape, order);
  const Handle handle = addTensor(id, std::move(tensor), order, true);
  copies_[id] = {{handle, order}};
  return handle;
}

HeldGraph::Handle HeldGraph::makeGiven(TensorId id) {
  const auto& shape = graph_.tensors[id].shape;
  return make(id, asGiven(shape ? shape->size() : 0));
}

void HeldGraph::standIn(TensorId id, TensorId other, const AxisOrder& order) {
  copies_[id] = {{takeAny(other), order}};
}

HeldGraph::Handle HeldGraph::takeGiven(TensorId id) {
  const auto& shape = graph_.tensors[id].shape;
  return take(id, asGiven(shape ? shape->size() : 0));
}

HeldGraph::Handle HeldGraph::take(TensorId id, const AxisOrder& order) {
  auto& copies = copies_[id];
  const auto there = std::ranges::find(copies, order, &Copy::order);
  if (there != copies.end()) return there->handle;
  const Tensor& tensor = graph_.tensors[id];
  // One element has all axes in any order, and is broadcast to any number of them.
  if (!tensor.shape || elementCount(*tensor.shape) == 1) return copies.front().handle;
  if (tensor.constant) return permutedWeight(id, order);
  if (tensor.shape->size() < order.size()) return padded(id, order);
  const auto same = std::ranges::find_if(
      copies, [&](const Copy& copy) { return sameInMemory(*tensor.shape, copy.order, order); });
  return turned(id, same != copies.end() ? *same : copies.front(), order);
}

/// Weights are the runtime's to lay out: the same bytes under another shape.
HeldGraph::Handle HeldGraph::permutedWeight(TensorId id, const AxisOrder& order) {
  Tensor tensor = graph_.tensors[id];
  tensor.shape = heldShape(withRank(*tensor.shape, order.size()), order);
  // What is worked out from weights alone would need an op that does it here.
  tensor.producer = {};
  tensor.constant = true;
  const Handle handle = addTensor(id, std::move(tensor), order, true);
  copies_[id].push_back({handle, order});
  return handle;
}

HeldGraph::Handle HeldGraph::turned(TensorId id, const Copy& from, const AxisOrder& order) {
  const Shape& shape = *graph_.tensors[id].shape;
  Op op{.type = "Reshape"};
  if (!sameInMemory(shape, from.order, order)) {
    op.type = "Transpose";
    op.attributes["perm"] = permBetween(from.order, order);
  }
  return derived(id, order, heldShape(shape, order), from.handle, std::move(op));
}

HeldGraph::Handle HeldGraph::padded(TensorId id, const AxisOrder& order) {
  const Shape shape = withRank(*graph_.tensors[id].shape, order.size());
  const AxisOrder given = asGiven(order.size());
  const bool same = sameInMemory(shape, given, order);
  const Handle seen = derived(id, same ? order : given, same ? heldShape(shape, order) : shape,
                              takeGiven(id), Op{.type = "Reshape"});
  if (same) return seen;
  Op op{.type = "Transpose"};
  op.attributes["perm"] = permBetween(given, order);
  return derived(id, order, heldShape(shape, order), seen, std::move(op));
}

HeldGraph::Handle HeldGraph::derived(TensorId id, const AxisOrder& order, Shape shape, Handle from,
                                     Op op) {
  const Tensor& whole = graph_.tensors[id];
  Tensor tensor{.name = displayName(graph_, id) + (isAsGiven(order) ? " given" : " nhwc"),
                .dtype = whole.dtype,
                .shape = std::move(shape),
                .bytes = whole.bytes,
                .origin = SizeOrigin::inferred};
  op.name = (isAsGiven(order) ? "to given: " : "to nhwc: ") + displayName(graph_, id);
  const bool moves = op.type == "Transpose";
  ++(moves ? added_.transposes : added_.views);
  if (moves) added_.moved += *whole.bytes;
  const Handle handle = addTensor(id, std::move(tensor), {}, false);
  copies_[id].push_back({handle, order});
  builder_.addOp({.op = std::move(op), .inputs = {from}, .outputs = {handle}});
  opOf_.add({});
  return handle;
}

void HeldGraph::addOp(OpId of, GraphBuilder::OpParts parts) {
  builder_.addOp(std::move(parts));
  opOf_.add(of);
}

Result<Graph> HeldGraph::build() && {
  for (const TensorId input : graph_.inputs) builder_.addInput(takeAny(input));
  for (const TensorId output : graph_.outputs) builder_.addOutput(takeAny(output));
  std::vector<TensorId> ids;
  HW_TRY(graph, std::move(builder_).build(ids));
  auto tiling = std::make_shared<Tiling>();
  tiling->original = original_;
  tiling->pieces.resize(ids.size());
  tiling->wholeOf.resize(ids.size());
  tiling->orders.resize(ids.size());
  for (std::size_t handle = 0; handle < ids.size(); ++handle) {
    tiling->wholeOf[ids[handle]] = wholeOf_[handle];
    tiling->orders[ids[handle]] = orders_[handle];
  }
  tiling->parts.resize(opOf_.size());
  tiling->opOf = std::move(opOf_);
  graph.notes = graph_.notes;
  graph.reordered = graph_.reordered;
  graph.tiling = std::move(tiling);
  return graph;
}

}  // namespace hw
