#include "core/ops/regions.h"

#include <algorithm>

#include "core/graph/tiling.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

constexpr std::int64_t floorDivided(std::int64_t number, std::int64_t by) {
  return number >= 0 ? number / by : -((-number + by - 1) / by);
}

}  // namespace

Interval<std::int64_t> Reach::needed(Interval<std::int64_t> made, std::int64_t size) const {
  if (axis == kWhole) return {0, size};
  const std::int64_t first = floorDivided(made.begin * step + low, per);
  const std::int64_t last = floorDivided((made.end - 1) * step + high, per);
  const std::int64_t begin = std::clamp<std::int64_t>(first, 0, size - 1);
  return {begin, std::clamp<std::int64_t>(last + 1, begin + 1, size)};
}

const Reach* Regions::along(std::size_t input, int axis, std::size_t& at) const {
  const auto& axes = inputs[input];
  for (at = 0; at < axes.size(); ++at) {
    if (axes[at].axis == axis) return &axes[at];
  }
  return nullptr;
}

bool channelsAreLast(const Op& op) {
  return op.domain == "tflite" || op.intAttribute("channels_last", 0) != 0;
}

std::optional<Regions> regionsOf(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  if (info == nullptr || info->region == nullptr || op.folded || !op.captures.empty()) return {};
  OpFacts facts{.op = op, .outputCount = op.outputs.size()};
  const auto factsOf = [&](TensorId tensor) {
    return TensorFacts{graph.tensors[tensor].dtype, graph.tensors[tensor].shape};
  };
  for (const TensorId in : op.inputs) {
    facts.inputs.push_back({.present = static_cast<bool>(in)});
    if (in) facts.inputs.back().facts = factsOf(in);
  }
  Shape made;
  for (const TensorId out : op.outputs) {
    const auto isEmpty = [](const Shape& shape) {
      return std::ranges::any_of(shape, [](std::int64_t size) { return size <= 0; });
    };
    if (!out || isScratch(graph, out)) continue;
    const auto& shape = graph.tensors[out].shape;
    if (!shape || shape->empty() || isEmpty(*shape)) return {};
    if (made.empty()) made = *shape;
    if (made.size() != shape->size()) return {};
  }
  if (made.empty()) return {};
  Regions regions = info->region(facts, made);
  if (regions.inputs.size() != op.inputs.size()) return {};
  return regions;
}

}  // namespace hw
