#include "core/check/parts/known_folds.h"

#include <set>

#include "core/check/element_sources.h"

namespace hw {
namespace {

/// What one element of the output comes from.
std::set<Shape> comesFrom(const Graph& graph, OpId op, const Shape& index) {
  std::set<Shape> sources;
  forEachSource(graph, op, 0, index, [&](std::size_t input, const Shape& source) {
    if (input == 0) sources.insert(source);
  });
  return sources;
}

}  // namespace

std::size_t channelsOf(const Graph& graph, OpId op) {
  const Op& of = graph.ops[op];
  const std::size_t rank = graph.tensors[of.inputs[0]].shape->size();
  return of.intAttribute("channels_last", 0) != 0 ? rank - 1 : 1;
}

bool foldsItsInput(const Graph& graph, OpId id) {
  static const std::set<std::string_view> kKnown = {
      "GlobalAveragePool", "GlobalMaxPool", "QLinearGlobalAveragePool",
      "ReduceSum",         "ReduceMean",    "ReduceMax",
      "ReduceMin",         "ReduceL1",      "ReduceL2",
      "ReduceSumSquare",   "MEAN",          "SUM",
      "REDUCE_MAX",        "REDUCE_MIN"};
  static const std::set<std::string_view> kPools = {"AveragePool", "MaxPool", "AVERAGE_POOL_2D",
                                                    "MAX_POOL_2D"};
  const Op& op = graph.ops[id];
  if (kKnown.contains(op.type)) return true;
  if (!kPools.contains(op.type)) return false;
  // What one element of each channel comes from.
  const Shape& in = *graph.tensors[op.inputs[0]].shape;
  const Shape index(graph.tensors[op.outputs[0]].shape->size());
  const auto taps = static_cast<std::int64_t>(comesFrom(graph, id, index).size());
  return taps * in[0] * in[channelsOf(graph, id)] == *elementCount(in);
}

bool addsUpChannels(const Graph& graph, OpId id) {
  static const std::set<std::string_view> kDense = {"Conv", "ConvInteger", "QLinearConv",
                                                    "CONV_2D"};
  const Op& op = graph.ops[id];
  if (!kDense.contains(op.type)) return false;
  const Shape& in = *graph.tensors[op.inputs[0]].shape;
  const Shape& out = *graph.tensors[op.outputs[0]].shape;
  const std::size_t channel = channelsOf(graph, id);
  if (in.size() != out.size()) return false;
  // The first channel that it makes, and the last: those of a group come from some of them.
  for (const std::int64_t made : {std::int64_t{0}, out[channel] - 1}) {
    Shape index(out.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = out[i] / 2;
    index[channel] = made;
    std::set<std::int64_t> channels;
    for (const Shape& source : comesFrom(graph, id, index)) channels.insert(source[channel]);
    if (static_cast<std::int64_t>(channels.size()) != in[channel]) return false;
  }
  return true;
}

bool addsUp(const Op& op) {
  return op.type.find("Max") == op.type.npos && op.type.find("MAX") == op.type.npos &&
         op.type.find("Min") == op.type.npos && op.type.find("MIN") == op.type.npos;
}

}  // namespace hw
