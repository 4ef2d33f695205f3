#include "core/storage/view_slices.h"

#include <algorithm>
#include <span>

namespace hw {
namespace {

using WhyNot = std::optional<std::string>;

/// The axis counted from the front; nothing when it lies outside the rank.
std::optional<std::size_t> axisOf(const Op& op, std::size_t rank, std::int64_t fallback) {
  const std::int64_t axis = op.intAttribute("axis", fallback);
  const std::int64_t fromFront = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (fromFront < 0 || fromFront >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(fromFront);
}

/// Slices along `axis` are contiguous: every dimension before it is 1.
bool isOutermost(const Tensor& tensor, const Op& op, std::int64_t fallback) {
  if (!tensor.shape) return false;
  const auto axis = axisOf(op, tensor.shape->size(), fallback);
  return axis && std::all_of(tensor.shape->begin(),
                             tensor.shape->begin() + static_cast<std::ptrdiff_t>(*axis),
                             [](std::int64_t dimension) { return dimension == 1; });
}

/// Says of the slices of one op why they cannot share.
class SliceJudge {
 public:
  SliceJudge(const Graph& graph, const StorageOptions& options, const AliasForest& forest, OpId op)
      : graph_(graph), options_(options), forest_(forest), op_(graph.ops[op]) {}

  WhyNot judge(const SliceLink& slice) const {
    switch (viewFamilyOf(op_)) {
      case ViewFamily::none:
        break;
      case ViewFamily::reshape:
        return whyNoReshape(slice.whole, slice.part);
      case ViewFamily::concat:
        return whyNoConcat(slice.part, slice.whole, slice.offset);
      case ViewFamily::split:
        return whyNoSplit(slice.whole, slice.part, slice.offset);
    }
    return std::nullopt;
  }

 private:
  WhyNot whyNoReshape(TensorId in, TensorId out) const {
    if (!options_.alias.reshape) return "aliasing of the reshape family is switched off";
    // The third input switches training on, and only the run knows it.
    if (op_.type == "Dropout" && op_.inputs.size() > 2 && op_.inputs[2]) {
      return "the dropout may be training";
    }
    if (auto why = forest_.whyNotPlanned(in)) return why;
    if (auto why = forest_.whyNotPlanned(out)) return why;
    if (forest_.sizeOf(in) != forest_.sizeOf(out)) return "input and output differ in size";
    return std::nullopt;
  }

  WhyNot whyNoConcat(TensorId in, TensorId out, Bytes offset) const {
    if (!options_.alias.concat) return "aliasing of concat is switched off";
    // TFLite fuses activations: then the concat computes, and its operands are not its slices.
    if (op_.intAttribute("fused_activation_function", 0) != 0) {
      return "an activation is fused to it";
    }
    if (auto why = forest_.whyNotPlanned(in)) return why;
    if (auto why = forest_.whyNotPlanned(out)) return why;
    if (!isOutermost(graph_.tensors[out], op_, 0)) {
      return "it joins along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(in) > forest_.sizeOf(out)) {
      return "the inputs do not add up to the output";
    }
    return std::nullopt;
  }

  WhyNot whyNoSplit(TensorId in, TensorId out, Bytes offset) const {
    if (!options_.alias.split) return "aliasing of split is switched off";
    if (auto why = forest_.whyNotPlanned(in)) return why;
    if (auto why = forest_.whyNotPlanned(out)) return why;
    if (!isOutermost(graph_.tensors[in], op_, 0)) {
      return "it splits along an inner axis, so slices are not contiguous";
    }
    if (offset + forest_.sizeOf(out) > forest_.sizeOf(in)) {
      return "the outputs do not add up to the input";
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const StorageOptions& options_;
  const AliasForest& forest_;
  const Op& op_;
};

}  // namespace

std::vector<SliceLink> sliceLinks(const Graph& graph, OpId id) {
  const Op& op = graph.ops[id];
  const ViewFamily family = viewFamilyOf(op);
  if (family == ViewFamily::none || op.outputs.empty()) return {};
  const bool joins = family == ViewFamily::concat;
  const TensorId whole = joins ? op.outputs[0] : dataInput(op);
  std::span<const TensorId> parts = joins ? op.inputs : op.outputs;
  if (family == ViewFamily::reshape) parts = parts.first(1);  // A dropout's mask is no view.
  std::vector<SliceLink> links;
  Bytes offset;
  for (const TensorId part : parts) {
    if (!whole || !part) continue;
    links.push_back({id, part, whole, offset});
    offset += graph.tensors[part].bytes.value_or(Bytes());
  }
  return links;
}

std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, OpId op) {
  const SliceJudge judge(graph, options, forest, op);
  std::vector<ViewSlice> slices;
  for (const SliceLink& link : sliceLinks(graph, op)) slices.push_back({link, judge.judge(link)});
  return slices;
}

}  // namespace hw
