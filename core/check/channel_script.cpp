#include "core/check/channel_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/check/element_sources.h"
#include "core/graph/tiling.h"

namespace hw {
namespace {

constexpr std::int64_t kMostScripted = 4096;

}  // namespace

Interval<std::int64_t> ChannelScript::reads(std::int64_t channel) const {
  const std::int64_t group = channel / std::max<std::int64_t>(out.channels / groups, 1);
  const std::int64_t each = in.channels / groups;
  return {group * each, (group + 1) * each};
}

ByteStride ChannelScript::strideOf(const Side& side, std::int64_t image,
                                   std::int64_t channel) const {
  const Bytes plane = side.element * side.places;
  if (!last) return {plane * (image * side.channels + channel), plane, plane, 1};
  return {plane * (image * side.channels) + side.element * channel, side.element,
          side.element * side.channels, side.places};
}

std::optional<ChannelScript> channelScriptOf(const Graph& graph, const Op& op) {
  static const std::set<std::string_view> kKnown = {"Conv", "QLinearConv", "CONV_2D",
                                                    "DEPTHWISE_CONV_2D"};
  if (!kKnown.contains(op.type) || op.inputs.empty() || op.outputs.empty()) return std::nullopt;
  if (!op.inputs[0] || !op.outputs[0]) return std::nullopt;
  ChannelScript script{.input = op.inputs[0], .output = op.outputs[0]};
  script.last = op.domain == "tflite" || op.intAttribute("channels_last", 0) == 1;
  const auto readSide = [&](TensorId id, ChannelScript::Side& side) {
    const Tensor& tensor = graph.tensors[id];
    const auto element = elementSize(tensor);
    if (!element || tensor.shape->size() < 3 || *tensor.bytes == Bytes()) return false;
    const Shape& shape = *tensor.shape;
    side.element = *element;
    side.channels = script.last ? shape.back() : shape[1];
    side.places = tensor.bytes->count() / (element->count() * shape[0] * side.channels);
    script.images = shape[0];
    return true;
  };
  if (!readSide(script.input, script.in) || !readSide(script.output, script.out)) {
    return std::nullopt;
  }
  const bool each = op.type == "DEPTHWISE_CONV_2D";
  script.groups = each ? script.in.channels : op.intAttribute("group", 1);
  const bool even = script.groups > 0 && script.in.channels % script.groups == 0 &&
                    script.out.channels % script.groups == 0;
  return even ? std::optional(script) : std::nullopt;
}

std::string scratchFault(const Graph& graph, OpId op, const Tensor& scratch) {
  if (!scratch.consumers.empty() || scratch.graphOutput) return "hands out its scratch";
  const auto script = channelScriptOf(graph, graph.ops[op]);
  if (!script) return "has scratch, but does not run channel by channel";
  if (!scratch.bytes || *scratch.bytes < script->plane()) {
    return fmt::format("has {} bytes of scratch, but a plane of its output takes {}",
                       scratch.bytes.value_or(Bytes()).count(), script->plane().count());
  }
  Shape index(graph.tensors[script->output].shape->size());
  const std::size_t axis = script->last ? index.size() - 1 : 1;
  std::string fault;
  // Of very many channels, some.
  const std::int64_t step = script->out.channels / kMostScripted + 1;
  for (index[axis] = 0; index[axis] < script->out.channels && fault.empty(); index[axis] += step) {
    for (const bool end : {false, true}) {
      for (std::size_t i = 0; i < index.size(); ++i) {
        if (i != axis) index[i] = end ? (*graph.tensors[script->output].shape)[i] - 1 : 0;
      }
      const bool known =
          forEachSource(graph, op, 0, index, [&](std::size_t input, const Shape& source) {
            if (input != 0 || (source[axis] == index[axis] && source[0] == index[0])) return;
            fault = fmt::format("has scratch for one channel, but makes channel {} of channel {}",
                                index[axis], source[axis]);
          });
      if (!known) return "has scratch, but is of a type that nobody can check";
    }
  }
  return fault;
}

}  // namespace hw
