#include "core/rewrite/set_aside.h"

#include <algorithm>
#include <vector>

#include "core/graph/tiling.h"
#include "core/rewrite/graph_builder.h"
#include "core/storage/by_channel.h"

namespace hw {
namespace {

/// Copies a graph, and adds scratch to some of its ops.
class ScratchWriter {
 public:
  explicit ScratchWriter(std::shared_ptr<const Graph> graph)
      : graph_(*graph), builder_(graph_.name, graph_.format) {
    tiling_.original = std::move(graph);
  }

  Result<Graph> write(const IdMap<OpId, std::optional<Bytes>>& scratch) && {
    for (const TensorId id : graph_.tensors.keys()) addTensor(id);
    for (const TensorId input : graph_.inputs) builder_.addInput(input.index());
    for (const TensorId output : graph_.outputs) builder_.addOutput(output.index());
    for (const OpId op : graph_.ops.keys()) addOp(op, scratch[op]);
    std::vector<TensorId> ids;
    HW_TRY(graph, std::move(builder_).build(ids));
    tiling_.pieces.resize(ids.size());
    tiling_.wholeOf.resize(ids.size());
    for (const TensorId id : graph_.tensors.keys()) tiling_.wholeOf[ids[id.index()]] = id;
    graph.notes = graph_.notes;
    graph.reordered = graph_.reordered;
    graph.tiling = std::make_shared<const Tiling>(std::move(tiling_));
    return graph;
  }

 private:
  /// Handles are the numbers of the tensors.
  void addTensor(TensorId id) {
    Tensor tensor = graph_.tensors[id];
    if (tensor.producer) tensor.constant = false;
    tensor.graphInput = tensor.graphOutput = false;
    tensor.producer = {};
    tensor.consumers.clear();
    builder_.addTensor(std::move(tensor));
  }

  static std::vector<GraphBuilder::Handle> handles(const std::vector<TensorId>& ids) {
    std::vector<GraphBuilder::Handle> all;
    for (const TensorId id : ids) all.push_back(id ? id.index() : GraphBuilder::kAbsent);
    return all;
  }

  void addOp(OpId id, std::optional<Bytes> scratch) {
    const Op& op = graph_.ops[id];
    GraphBuilder::OpParts parts{.op = op};
    parts.inputs = handles(op.inputs);
    parts.outputs = handles(op.outputs);
    parts.captures = handles(op.captures);
    if (scratch) {
      parts.outputs.push_back(builder_.addTensor({.name = scratchName(graph_, id),
                                                  .dtype = Dtype::uint8,
                                                  .shape = Shape{scratch->count()},
                                                  .bytes = *scratch,
                                                  .origin = SizeOrigin::inferred}));
    }
    builder_.addOp(std::move(parts));
    tiling_.opOf.add(id);
    tiling_.parts.add(std::nullopt);
  }

  const Graph& graph_;
  GraphBuilder builder_;
  Tiling tiling_;
};

}  // namespace

std::string scratchName(const Graph& graph, OpId op) {
  return displayName(graph, graph.ops[op].outputs[0]) + " scratch";
}

Result<std::shared_ptr<const Graph>> scratchSetAside(std::shared_ptr<const Graph> graph,
                                                     const std::function<bool(OpId)>& wanted) {
  if (graph->tiling && !isRelaid(*graph)) return graph;
  IdMap<OpId, std::optional<Bytes>> scratch(graph->ops.size());
  bool any = false;
  for (const OpId op : graph->ops.keys()) {
    // An op with other outputs may have scratch of its own: that of tflite-micro's kernels.
    if (graph->ops[op].outputs.size() != 1) continue;
    const auto needed = channelScratch(*graph, graph->ops[op]);
    if (!needed || !wanted(op)) continue;
    scratch[op] = needed;
    any = true;
  }
  if (!any) return graph;
  HW_TRY(written, ScratchWriter(std::move(graph)).write(scratch));
  return std::make_shared<const Graph>(std::move(written));
}

}  // namespace hw
