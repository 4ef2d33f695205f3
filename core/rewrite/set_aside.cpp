#include "core/rewrite/set_aside.h"

#include <algorithm>

#include "core/rewrite/graph_rewriter.h"
#include "core/storage/aliasing.h"

namespace hw {

std::string scratchName(const Graph& graph, OpId op) {
  return displayName(graph, graph.ops[op].outputs[0]) + " scratch";
}

Result<std::shared_ptr<const Graph>> scratchSetAside(std::shared_ptr<const Graph> graph,
                                                     const std::function<bool(OpId)>& wanted) {
  if (graph->tiling && !isRelaid(*graph)) return graph;
  IdMap<OpId, std::optional<Bytes>> scratch(graph->ops.size());
  for (const OpId op : graph->ops.keys()) {
    // An op with other outputs may have scratch of its own: that of tflite-micro's kernels.
    if (graph->ops[op].outputs.size() != 1) continue;
    const auto needed = channelScratch(*graph, graph->ops[op]);
    if (needed && wanted(op)) scratch[op] = needed;
  }
  if (std::ranges::none_of(scratch, [](const auto& bytes) { return bytes.has_value(); })) {
    return graph;
  }
  GraphRewriter to(graph, Tiling::Kind::scratch);
  to.addAllTensors();
  for (const OpId op : graph->ops.keys()) {
    GraphBuilder::OpParts parts = numberedOp(*graph, op);
    if (const auto& bytes = scratch[op]) {
      parts.outputs.push_back(to.addTensor({.name = scratchName(*graph, op),
                                            .dtype = Dtype::uint8,
                                            .shape = Shape{bytes->count()},
                                            .bytes = *bytes,
                                            .origin = SizeOrigin::inferred}));
    }
    to.addOp(std::move(parts), op);
  }
  HW_TRY(written, std::move(to).build());
  return std::make_shared<const Graph>(std::move(written));
}

}  // namespace hw
