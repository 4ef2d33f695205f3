#include "core/layout/axis_use.h"

#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw {
namespace {

template <class Rule>
bool isOneOf(Rule* rule, std::initializer_list<Rule*> rules) {
  return rule != nullptr && std::ranges::find(rules, rule) != rules.end();
}

/// Convolutions whose weight has the form of their images; what is deformed has no other form.
bool convolves(const Graph& graph, const Op& op, const OpInfo& info) {
  if (!isOneOf(info.shape, {shapes::convolution, shapes::integerConvolution,
                            shapes::linearConvolution, shapes::transposedConvolution}) ||
      op.type == "DeformConv" || info.weight >= op.inputs.size() || !op.inputs[info.weight]) {
    return false;
  }
  const auto& weight = graph.tensors[op.inputs[info.weight]].shape;
  return weight && weight->size() == 4;
}

AxisUse imageUse(const Graph& graph, const Op& op, const OpInfo& info) {
  if (!isImage(graph, dataInput(op)) || !isImage(graph, op.outputs[0])) return AxisUse::given;
  const bool slides = convolves(graph, op, info);
  if (slides || isOneOf(info.shape, {shapes::pool, shapes::globalPool})) return AxisUse::image;
  const bool normalises = op.type == "LRN" || op.type == "InstanceNormalization";
  const bool places =
      normalises || isOneOf(info.shape, {shapes::resize, shapes::upsample, shapes::depthToSpace,
                                         shapes::spaceToDepth, shapes::batchNormalization});
  return places ? AxisUse::place : AxisUse::given;
}

/// Where it is of known type, and everything that it says is in its attributes.
AxisUse useOf(const Graph& graph, const Op& op, const OpInfo& info) {
  if (const AxisUse use = imageUse(graph, op, info); use != AxisUse::given) return use;
  if (isOneOf(info.shape, {shapes::batchNormalization})) return AxisUse::given;
  if (op.type == "ImageScaler" || op.type == "Affine") return AxisUse::first;
  if (info.region == regions::elements) return AxisUse::elements;
  if (info.region == regions::first) return AxisUse::first;
  if (info.region == regions::joined) return AxisUse::join;
  if (info.region == regions::cut) return AxisUse::cut;
  if (isOneOf(info.shape, {shapes::slice, shapes::crop})) return AxisUse::slice;
  if (info.shape == shapes::pad) return AxisUse::pad;
  if (info.shape == shapes::gather) return AxisUse::pick;
  if (isOneOf(info.shape, {shapes::reduce, shapes::argReduce})) return AxisUse::fold;
  if (isOneOf(info.region, {regions::softmax, regions::normalised})) return AxisUse::row;
  if (info.shape == shapes::transpose) return AxisUse::transpose;
  return info.view == ViewFamily::reshape ? AxisUse::view : AxisUse::given;
}

}  // namespace

bool hasAxes(const Graph& graph, TensorId tensor) {
  if (!tensor) return false;
  const Tensor& held = graph.tensors[tensor];
  return held.shape && held.bytes && !held.constant && !held.persistent;
}

bool isImage(const Graph& graph, TensorId tensor) {
  return hasAxes(graph, tensor) && graph.tensors[tensor].shape->size() == 4;
}

AxisUse axisUseOf(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  const bool plain = op.domain.empty() || op.domain == "com.microsoft";
  if (info == nullptr || !plain || op.folded || !op.captures.empty() ||
      info->special != Special::none || op.intAttribute("channels_last", 0) != 0) {
    return AxisUse::given;
  }
  if (!hasAxes(graph, dataInput(op)) || op.outputs.empty()) return AxisUse::given;
  const auto known = [&](TensorId output) { return !output || hasAxes(graph, output); };
  if (!op.outputs[0] || !std::ranges::all_of(op.outputs, known)) return AxisUse::given;
  return useOf(graph, op, *info);
}

}  // namespace hw
