#include "core/rewrite/repeat_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/rewrite/graph_builder.h"

namespace hw {
namespace {

class RepeatWriter {
 public:
  explicit RepeatWriter(std::shared_ptr<const Graph> graph)
      : graph_(*graph),
        builder_(graph_.name, graph_.format),
        latest_(graph_.tensors.size(), GraphBuilder::kAbsent),
        times_(graph_.ops.size()) {
    tiling_.original = std::move(graph);
  }

  Result<Graph> write(std::span<const OpId> ops) {
    // Weights keep their order: those come last that nobody makes.
    for (const TensorId id : graph_.tensors.keys()) {
      if (!graph_.tensors[id].producer) add(id, 0);
    }
    for (const TensorId input : graph_.inputs) builder_.addInput(latest_[input]);
    for (const OpId op : ops) addOp(op);
    for (const TensorId output : graph_.outputs) builder_.addOutput(latest_[output]);
    std::vector<TensorId> ids;
    HW_TRY(graph, std::move(builder_).build(ids));
    tiling_.pieces.resize(ids.size());
    tiling_.wholeOf.resize(ids.size());
    for (std::size_t handle = 0; handle < ids.size(); ++handle) {
      tiling_.wholeOf[ids[handle]] = originals_[handle];
    }
    graph.notes = graph_.notes;
    graph.reordered = graph_.reordered;
    graph.tiling = std::make_shared<const Tiling>(std::move(tiling_));
    return graph;
  }

 private:
  static std::string againText(std::size_t times) {
    return times < 2 ? "again" : fmt::format("again {}", times);
  }

  /// `again`: how often it was made before.
  GraphBuilder::Handle add(TensorId id, std::size_t again) {
    Tensor tensor = graph_.tensors[id];
    if (tensor.producer) tensor.constant = false;
    tensor.graphInput = tensor.graphOutput = false;
    tensor.producer = {};
    tensor.consumers.clear();
    if (again > 0) {
      tensor.name = fmt::format("{} {}", displayName(graph_, id), againText(again));
      tensor.plannedOffset.reset();
    }
    originals_.push_back(id);
    return latest_[id] = builder_.addTensor(std::move(tensor));
  }

  void addOp(OpId id) {
    const Op& op = graph_.ops[id];
    const std::size_t again = times_[id]++;
    GraphBuilder::OpParts parts{.op = op};
    if (again > 0) parts.op.name = fmt::format("{} {}", displayName(graph_, id), againText(again));
    const auto latest = [&](TensorId tensor) {
      return tensor ? latest_[tensor] : GraphBuilder::kAbsent;
    };
    for (const TensorId in : op.inputs) parts.inputs.push_back(latest(in));
    for (const TensorId in : op.captures) parts.captures.push_back(latest(in));
    for (const TensorId out : op.outputs) {
      parts.outputs.push_back(out ? add(out, again) : GraphBuilder::kAbsent);
    }
    builder_.addOp(std::move(parts));
    tiling_.opOf.add(id);
    tiling_.parts.add(std::nullopt);
  }

  const Graph& graph_;
  GraphBuilder builder_;
  Tiling tiling_;
  IdMap<TensorId, GraphBuilder::Handle> latest_;
  IdMap<OpId, std::size_t> times_;
  std::vector<TensorId> originals_;  ///< By handle.
};

}  // namespace

Result<Graph> repeatedGraph(std::shared_ptr<const Graph> graph, std::span<const OpId> ops) {
  return RepeatWriter(std::move(graph)).write(ops);
}

}  // namespace hw
