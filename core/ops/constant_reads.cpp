#include "core/ops/constant_reads.h"

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/ops/folds.h"
#include "core/ops/op_table.h"
#include "core/ops/regions.h"

namespace hw {

bool readsShare(const Graph& graph, OpId id, std::size_t input, int axis) {
  const Op& op = graph.ops[id];
  const auto& own = graph.tensors[op.inputs[input]].shape;
  const auto regions = regionsOf(graph, id);
  if (!regions || !own || axis < 0) return false;
  std::size_t along = 0;
  if (!regions->inputs[input].empty()) return regions->along(input, axis, along) != nullptr;
  // Inputs without a region are weights, scales and biases: some elements for each channel.
  const Shape& made = *graph.tensors[op.outputs[0]].shape;
  const std::size_t channel = channelsAreLast(op) ? made.size() - 1 : 1;
  const bool byChannel = static_cast<std::size_t>(axis) == channel && channel < made.size();
  return byChannel && std::ranges::find(*own, made[channel]) != own->end();
}

ConstantReads::Use ConstantReads::useOf(OpId id, TensorId constant) const {
  const Tiling::Part& part = *partOf(graph_, id);
  const Graph& original = *graph_.tiling->original;
  const Op& of = original.ops[part.of];
  const auto at = std::ranges::find(of.inputs, constant);
  if (at == of.inputs.end()) return Use::all;
  const auto input = static_cast<std::size_t>(at - of.inputs.begin());
  if (!isFoldPart(part)) {
    return readsShare(original, part.of, input, part.axis) ? Use::share : Use::all;
  }
  if (!channelSumOf(original, part.of)) return Use::all;
  return input == findOp(of)->weight ? Use::share : Use::last;
}

Bytes ConstantReads::of(OpId id, TensorId constant) {
  const Bytes all = graph_.tensors[constant].bytes.value_or(Bytes());
  const Tiling::Part* part = partOf(graph_, id);
  if (part == nullptr) return all;
  const TensorId whole = graph_.tiling->wholeOf[constant];
  const auto [use, isNew] = uses_.try_emplace({part->of, whole}, Use::all);
  if (isNew) use->second = useOf(id, whole);
  if (use->second == Use::all) return all;
  if (use->second == Use::last) return part->rows.end == part->size ? all : Bytes();
  const auto upTo = [&](std::int64_t row) {
    return all.count() / part->size * row + all.count() % part->size * row / part->size;
  };
  return Bytes(upTo(part->rows.end) - upTo(part->rows.begin));
}

}  // namespace hw
