#include "core/storage/view_slices.h"

#include <algorithm>

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

class SliceReader {
 public:
  SliceReader(const Graph& graph, const StorageOptions& options, const AliasForest& forest,
              const Op& op)
      : graph_(graph), options_(options), forest_(forest), op_(op) {}

  std::vector<ViewSlice> reshape() const {
    const TensorId in = dataInput(op_);
    if (!in || op_.outputs.empty() || !op_.outputs[0]) return {};
    return {{op_.outputs[0], in, Bytes(), whyNoReshape(in, op_.outputs[0])}};
  }

  std::vector<ViewSlice> concat() const {
    std::vector<ViewSlice> slices;
    if (op_.outputs.empty() || !op_.outputs[0]) return slices;
    const TensorId out = op_.outputs[0];
    Bytes offset;
    for (const TensorId in : op_.inputs) {
      if (!in) continue;
      slices.push_back({in, out, offset, whyNoConcat(in, out, offset)});
      offset += forest_.sizeOf(in);
    }
    return slices;
  }

  std::vector<ViewSlice> split() const {
    std::vector<ViewSlice> slices;
    const TensorId in = dataInput(op_);
    if (!in) return slices;
    Bytes offset;
    for (const TensorId out : op_.outputs) {
      if (!out) continue;
      slices.push_back({out, in, offset, whyNoSplit(in, out, offset)});
      offset += forest_.sizeOf(out);
    }
    return slices;
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

std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, const Op& op) {
  const SliceReader reader(graph, options, forest, op);
  switch (viewFamilyOf(op)) {
    case ViewFamily::none:
      return {};
    case ViewFamily::reshape:
      return reader.reshape();
    case ViewFamily::concat:
      return reader.concat();
    case ViewFamily::split:
      return reader.split();
  }
  return {};
}

}  // namespace hw
