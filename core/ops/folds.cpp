#include "core/ops/folds.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/ops/op_table.h"
#include "core/ops/regions.h"

namespace hw {
namespace {

/// The axes that `from` has and `to` lacks, or has as 1; nothing where sizes allow several answers.
std::optional<std::vector<bool>> goneAxes(const Shape& from, const Shape& to) {
  constexpr std::size_t kMostAxes = 8;
  std::vector<bool> gone(from.size());
  if (from.size() == to.size()) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      gone[i] = from[i] != to[i];
      if (gone[i] && to[i] != 1) return std::nullopt;
    }
    return gone;
  }
  if (from.size() < to.size() || from.size() > kMostAxes) return std::nullopt;
  std::optional<std::vector<bool>> only;
  for (unsigned kept = 0; kept < 1U << from.size(); ++kept) {
    Shape left;
    for (std::size_t i = 0; i < from.size(); ++i) {
      gone[i] = (kept >> i & 1U) == 0;
      if (!gone[i]) left.push_back(from[i]);
    }
    if (left != to) continue;
    if (only) return std::nullopt;
    only = gone;
  }
  return only;
}

/// The window of a pool takes in each element of each of its axes, at the only place it has.
bool poolsAll(const Graph& graph, OpId id, const std::vector<bool>& axes) {
  const Op& op = graph.ops[id];
  const auto regions = regionsOf(graph, id);
  const Shape& from = *graph.tensors[op.inputs[0]].shape;
  const auto dilations = op.intsAttribute("dilations");
  if (!regions || regions->inputs[0].size() != from.size()) return false;
  if (std::ranges::any_of(dilations, [](std::int64_t each) { return each != 1; })) return false;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Interval<std::int64_t> all{0, from[i]};
    if (axes[i] && regions->inputs[0][i].needed({0, 1}, from[i]) != all) return false;
  }
  return true;
}

bool isNarrow(Dtype dtype) { return dtypeBits(dtype) < 32; }

}  // namespace

std::optional<Fold> foldOf(const Graph& graph, OpId id) {
  using Names = std::set<std::string_view>;
  static const Names kExtremes = {"ReduceMax", "ReduceMin", "GlobalMaxPool", "MaxPool"};
  static const Names kSums = {"ReduceSum",
                              "ReduceMean",
                              "ReduceL1",
                              "ReduceSumSquare",
                              "ReduceL2",
                              "GlobalAveragePool",
                              "QLinearGlobalAveragePool",
                              "AveragePool"};
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  const bool plain = info != nullptr && !op.folded && op.captures.empty();
  if (!plain || op.inputs.empty() || !op.inputs[0] || op.outputs.size() != 1 || !op.outputs[0]) {
    return {};
  }
  const std::string_view name = info->standard.empty() ? info->type : info->standard;
  const bool sums = kSums.contains(name);
  const Tensor& in = graph.tensors[op.inputs[0]];
  const Tensor& out = graph.tensors[op.outputs[0]];
  if ((!sums && !kExtremes.contains(name)) || !in.shape || !out.shape || out.shape->empty()) {
    return {};
  }
  if (elementCount(*in.shape).value_or(0) < 1) return {};
  auto axes = goneAxes(*in.shape, *out.shape);
  if (!axes || std::ranges::count(*axes, true) == 0) return {};
  const bool pool = name == "MaxPool" || name == "AveragePool";
  if (pool && !poolsAll(graph, id, *axes)) return {};
  return Fold{0, *std::move(axes), sums && isNarrow(out.dtype)};
}

std::optional<Fold> channelSumOf(const Graph& graph, OpId id) {
  static const std::set<std::string_view> kDense = {"Conv", "ConvInteger", "QLinearConv",
                                                    "CONV_2D"};
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  if (info == nullptr || op.outputs.size() != 1 || !op.outputs[0] || !regionsOf(graph, id)) {
    return {};
  }
  const std::string_view name = info->standard.empty() ? info->type : info->standard;
  const TensorId weight = op.inputs.size() > info->weight ? op.inputs[info->weight] : TensorId();
  if (!kDense.contains(name) || !weight || !graph.tensors[weight].constant) return {};
  const Shape& in = *graph.tensors[op.inputs[0]].shape;
  const Shape& taps = *graph.tensors[weight].shape;
  // (M, C, places …), and (M, places …, C) in TFLite's files: fewer channels there are a group's.
  const std::size_t channel = channelsAreLast(op) ? in.size() - 1 : 1;
  const std::size_t inTaps = op.domain == "tflite" ? taps.size() - 1 : 1;
  if (taps.size() != in.size() || taps[inTaps] != in[channel]) return {};
  std::vector<bool> axes(in.size());
  axes[channel] = true;
  return Fold{0, std::move(axes), isNarrow(graph.tensors[op.outputs[0]].dtype), true};
}

}  // namespace hw
