#include "core/rewrite/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/rewrite/graph_rewriter.h"

namespace hw {
namespace {

class BatchWriter {
 public:
  /// Parts are those of the original, however often they are there; all else is a rewrite of its
  /// own.
  explicit BatchWriter(const std::shared_ptr<const Graph>& graph)
      : graph_(*graph),
        parts_(runsInParts(*graph)),
        to_(parts_ ? graph->tiling->original : graph,
            parts_ ? Tiling::Kind::parts : Tiling::Kind::batches),
        handles_(graph->tensors.size(), GraphRewriter::kAbsent) {}

  void add(const Schedule& schedule, std::uint32_t batch) {
    to_.setBatch(batch);
    batch_ = batch;
    for (const TensorId id : graph_.tensors.keys()) {
      if (isOwn(id) && pieceOf(graph_, id) == nullptr) addTensor(id);
    }
    // Behind the tensors in whose storage they lie.
    for (const TensorId id : graph_.tensors.keys()) {
      if (isOwn(id) && pieceOf(graph_, id) != nullptr) addTensor(id);
    }
    for (const TensorId input : graph_.inputs) to_.addInput(handles_[input]);
    for (const OpId op : schedule.order) {
      if (batch == 0 || !(graph_.ops[op].folded || isHandle(op))) addOp(op);
    }
    for (const TensorId output : graph_.outputs) to_.addOutput(handles_[output]);
  }

  Result<Graph> build() && { return std::move(to_).build(); }

 private:
  /// Weights and state are those of the first inference.
  bool isOwn(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    return batch_ == 0 || !(tensor.constant || tensor.persistent);
  }

  /// True if an op only says where state is.
  bool isHandle(OpId op) const {
    const std::vector<TensorId>& outputs = graph_.ops[op].outputs;
    return !outputs.empty() && std::ranges::all_of(outputs, [&](TensorId id) {
      return id && graph_.tensors[id].persistent;
    });
  }

  std::string named(std::string name) const {
    return batch_ == 0 ? std::move(name) : fmt::format("{} #{}", name, batch_ + 1);
  }

  void addTensor(TensorId id) {
    Tensor tensor = graph_.tensors[id];
    if (batch_ > 0) {
      tensor.name = named(displayName(graph_, id));
      tensor.plannedOffset.reset();
    }
    if (const Tiling::Piece* piece = pieceOf(graph_, id)) {
      handles_[id] = to_.addPiece(tensor, *piece, handles_[piece->host]);
    } else {
      handles_[id] = to_.addTensor(tensor, parts_ ? graph_.tiling->wholeOf[id] : id);
    }
  }

  std::vector<GraphRewriter::Handle> handlesOf(const std::vector<TensorId>& ids) const {
    std::vector<GraphRewriter::Handle> handles;
    handles.reserve(ids.size());
    for (const TensorId id : ids) handles.push_back(id ? handles_[id] : GraphRewriter::kAbsent);
    return handles;
  }

  void addOp(OpId id) {
    const Op& op = graph_.ops[id];
    GraphRewriter::OpParts parts{.op = op,
                                 .inputs = handlesOf(op.inputs),
                                 .outputs = handlesOf(op.outputs),
                                 .captures = handlesOf(op.captures)};
    if (batch_ > 0) parts.op.name = named(displayName(graph_, id));
    const Tiling::Part* part = partOf(graph_, id);
    to_.addOp(std::move(parts), parts_ ? graph_.tiling->opOf[id] : id,
              part == nullptr ? std::nullopt : std::optional(*part));
  }

  const Graph& graph_;
  bool parts_;
  GraphRewriter to_;
  IdMap<TensorId, GraphRewriter::Handle> handles_;
  std::uint32_t batch_ = 0;
};

}  // namespace

Result<Graph> inBatches(const std::shared_ptr<const Graph>& graph, const Schedule& schedule,
                        std::size_t count) {
  if (batchesOf(*graph) > 1) {
    return fail(ErrorCode::unsupported,
                fmt::format("batches: this graph is of {} inferences already", batchesOf(*graph)));
  }
  if (count > kMostBatches || count * graph->ops.size() > kMostBatchedOps) {
    return fail(ErrorCode::unsupported,
                fmt::format("batches: {} inferences of {} operators each are more than {} "
                            "operators, or more than {} inferences",
                            count, groupDigits(graph->ops.size()), groupDigits(kMostBatchedOps),
                            groupDigits(kMostBatches)));
  }
  BatchWriter writer(graph);
  for (std::uint32_t batch = 0; batch < count; ++batch) writer.add(schedule, batch);
  return std::move(writer).build();
}

}  // namespace hw
