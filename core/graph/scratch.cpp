#include "core/graph/scratch.h"

#include "core/graph/tiling.h"

namespace hw {

bool isScratch(const Graph& graph, TensorId tensor) {
  // What runs again, or in parts, may have been made of a graph with scratch.
  const Graph* at = &graph;
  for (; tensor && at->tiling && !at->tiling->pieces[tensor]; at = at->tiling->original.get()) {
    const TensorId of = at->tiling->wholeOf[tensor];
    if (!of) return at->tensors[tensor].producer && at->tiling->opOf[at->tensors[tensor].producer];
    tensor = of;
  }
  return false;
}

TensorId scratchOf(const Graph& graph, const Op& op) {
  if (op.outputs.size() < 2 || !isScratch(graph, op.outputs.back())) return {};
  return op.outputs.back();
}

const Graph* withoutScratch(const Graph& graph) {
  if (!graph.tiling || isRelaid(graph)) return nullptr;
  const Graph& original = *graph.tiling->original;
  // What runs again adds ops, too. Parts come last: only they take a look at all ops.
  const bool more =
      graph.tensors.size() > original.tensors.size() && graph.ops.size() == original.ops.size();
  return more && !runsInParts(graph) ? &original : nullptr;
}

}  // namespace hw
