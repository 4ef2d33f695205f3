#include "core/storage/overlaps.h"

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/ops/row_walk.h"

namespace hw {
namespace {

/// Whether the bytes of the one end where those of the other begin.
bool meets(const Graph& graph, const Storage& storage, BufferId input, BufferId output, Step step) {
  const Buffer& under = storage.buffers[input];
  const Buffer& over = storage.buffers[output];
  if (input == output || under.steps.end != step + Step(1) || over.steps.begin != step) {
    return false;
  }
  // What the caller gave is not handed back to them.
  const bool given = std::ranges::any_of(
      under.tensors, [&](TensorId tensor) { return graph.tensors[tensor].graphInput; });
  return !under.graphOutput && !(given && over.graphOutput);
}

/// Nothing but `input` is read of its buffer: another part would not be read row by row with it.
bool readsNothingElse(const Graph& graph, const Storage& storage, OpId op, TensorId input) {
  const BufferId buffer = storage.bufferOf(input);
  return std::ranges::all_of(graph.reads(op), [&](TensorId other) {
    return other == input || storage.bufferOf(other) != buffer;
  });
}

}  // namespace

std::vector<OverlapChance> overlapChances(const Graph& graph, const Schedule& schedule,
                                          const Storage& storage) {
  std::vector<OverlapChance> chances;
  for (const OpId id : schedule.order) {
    const Op& op = graph.ops[id];
    // A part's tiling says where its rows lie; its operands are rows, not what attributes mean.
    if (op.folded || storage.free[id] || partOf(graph, id) != nullptr) continue;
    const auto walk = rowWalkOf(graph, op);
    if (!walk) continue;
    const TensorId output = op.outputs[0];
    const BufferId under = storage.bufferOf(walk->input);
    const BufferId over = storage.bufferOf(output);
    if (!under || !over || !meets(graph, storage, under, over, schedule.stepOf[id])) continue;
    if (!readsNothingElse(graph, storage, id, walk->input)) continue;
    const RowDistances least = rowDistances(*walk);
    const Bytes shift = storage.offsetOf(output) - storage.offsetOf(walk->input);
    chances.push_back({.op = id,
                       .input = walk->input,
                       .output = output,
                       .up = std::max(Bytes(), least.up + shift),
                       .down = std::max(Bytes(), least.down - shift)});
  }
  return chances;
}

}  // namespace hw
