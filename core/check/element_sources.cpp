#include "core/check/element_sources.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/interval.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

using Numbers = std::vector<std::int64_t>;
using SourceVisit = std::function<void(std::size_t, const Shape&)>;
using TypeNames = std::set<std::string_view>;

/// One element of one op.
class Sources {
 public:
  Sources(const Graph& graph, const Op& op, std::size_t output, const Shape& index,
          const SourceVisit& visit)
      : graph_(graph), op_(op), output_(output), at_(index), visit_(visit) {
    const OpInfo* info = findOp(op);
    name_ = info != nullptr && !info->standard.empty() ? info->standard : std::string_view(op.type);
    last_ = op.intAttribute("channels_last", 0) != 0;
  }

  bool find() {
    static const TypeNames kPools = {"MaxPool", "AveragePool", "LpPool"};
    static const TypeNames kConvolutions = {"Conv",        "ConvInteger", "FusedConv",
                                            "QLinearConv", "CONV_2D",     "DEPTHWISE_CONV_2D"};
    static const TypeNames kRows = {"Softmax",
                                    "LogSoftmax",
                                    "Hardmax",
                                    "LayerNormalization",
                                    "RMSNormalization",
                                    "L2_NORMALIZATION",
                                    "SimplifiedLayerNormalization"};
    static const TypeNames kScaled = {"BatchNormalization", "QuantizeLinear", "DequantizeLinear",
                                      "QUANTIZE",           "QLinearSigmoid", "QLinearLeakyRelu"};
    if (kConvolutions.contains(name_)) return slide(true);
    if (kPools.contains(name_)) return slide(false);
    if (kRows.contains(name_)) return row();
    if (kScaled.contains(name_)) return take(0, at_);
    if (name_ == "ConvTranspose") return slideBack();
    if (name_ == "Resize" || name_ == "Upsample") return resize();
    if (name_ == "Pad") return pad();
    if (name_ == "Concat") return concat();
    if (name_ == "Split" || name_ == "SPLIT") return split();
    if (name_ == "Transpose") return transpose();
    if (name_ == "DepthToSpace" || name_ == "SpaceToDepth") return blocks();
    if (name_ == "LRN") return across();
    if (name_.starts_with("Reduce") || name_.starts_with("Arg")) return fold();
    return isElementwise() && broadcast();
  }

 private:
  const Shape& shape(std::size_t input) const { return *graph_.tensors[op_.inputs[input]].shape; }
  const Shape& made() const { return *graph_.tensors[op_.outputs[output_]].shape; }

  bool take(std::size_t input, const Shape& index) const {
    if (!op_.inputs[input] || graph_.tensors[op_.inputs[input]].constant) return true;
    const Shape& whole = shape(input);
    if (index.size() != whole.size()) return false;
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (index[i] < 0 || index[i] >= whole[i]) return true;  // Padding.
    }
    visit_(input, index);
    return true;
  }

  /// Calls `each` with all the values of the axes of a window.
  void forEachTap(const Numbers& sizes, const std::function<void(const Numbers&)>& each) const {
    Numbers tap(sizes.size());
    for (;;) {
      each(tap);
      std::size_t axis = 0;
      while (axis < sizes.size() && ++tap[axis] == sizes[axis]) tap[axis++] = 0;
      if (axis == sizes.size()) return;
    }
  }

  Numbers listOf(const char* name, std::size_t count, std::int64_t fallback) const {
    Numbers list = op_.intsAttribute(name);
    if (list.empty()) list.assign(count, fallback);
    return list;
  }

  Numbers kernelOf(bool weighted) const {
    Numbers kernel = op_.intsAttribute("kernel_shape");
    if (!kernel.empty() || !weighted) return kernel;
    const Shape& weight = shape(name_ == "QLinearConv" ? 3 : 1);
    const auto first = weight.begin() + (op_.intAttribute("channels_last", 0) != 0 ? 1 : 2);
    return {first, first + (std::ssize(weight) - 2)};
  }

  /// Padding before the first element of each place.
  Numbers padsOf(const Numbers& kernel, const Numbers& strides, const Numbers& dilations,
                 bool back) const {
    const std::string how = op_.stringAttribute("auto_pad", "NOTSET");
    Numbers pads = listOf("pads", 2 * kernel.size(), 0);
    if (how == "NOTSET" || how.empty()) return pads;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      const std::size_t axis = i + (last_ ? 1 : 2);
      const std::int64_t small = back ? shape(0)[axis] : made()[axis];
      const std::int64_t large = back ? made()[axis] : shape(0)[axis];
      std::int64_t missing = (small - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - large;
      missing = std::max<std::int64_t>(missing, 0);
      pads[i] = how == "VALID" ? 0 : how == "SAME_LOWER" ? missing - missing / 2 : missing / 2;
    }
    return pads;
  }

  bool slide(bool weighted) {
    const Numbers kernel = kernelOf(weighted);
    const std::size_t places = at_.size() - 2;
    if (kernel.size() != places) return false;
    const Numbers strides = listOf("strides", places, 1);
    const Numbers dilations = listOf("dilations", places, 1);
    const Numbers pads = padsOf(kernel, strides, dilations, false);
    const std::size_t first = last_ ? 1 : 2;
    const std::size_t channel = last_ ? at_.size() - 1 : 1;
    const std::int64_t channels = shape(0)[channel];
    const bool depthwise = op_.type == "DEPTHWISE_CONV_2D";
    const std::int64_t groups = depthwise ? channels : op_.intAttribute("group", 1);
    const std::int64_t group = at_[channel] / (made()[channel] / groups);
    const Interval<std::int64_t> own = {group * (channels / groups),
                                        (group + 1) * (channels / groups)};
    forEachTap(kernel, [&](const Numbers& tap) {
      Shape index = at_;
      for (std::size_t i = 0; i < places; ++i) {
        index[first + i] = at_[first + i] * strides[i] + tap[i] * dilations[i] - pads[i];
      }
      if (!weighted) take(0, index);
      for (std::int64_t c = own.begin; weighted && c < own.end; ++c) {
        index[channel] = c;
        take(0, index);
      }
    });
    return true;
  }

  /// Every place of the input adds to a window of the output: takes those whose window has this
  /// element.
  bool slideBack() {
    const Numbers kernel = kernelOf(true);
    const std::size_t places = at_.size() - 2;
    if (kernel.size() != places) return false;
    const Numbers strides = listOf("strides", places, 1);
    const Numbers dilations = listOf("dilations", places, 1);
    const Numbers pads = padsOf(kernel, strides, dilations, true);
    const std::size_t first = last_ ? 1 : 2;
    const std::size_t channel = last_ ? at_.size() - 1 : 1;
    const Numbers sizes(shape(0).begin() + static_cast<std::ptrdiff_t>(first),
                        shape(0).begin() + static_cast<std::ptrdiff_t>(first + places));
    forEachTap(sizes, [&](const Numbers& place) {
      bool hits = true;
      for (std::size_t i = 0; i < places; ++i) {
        bool any = false;
        for (std::int64_t tap = 0; tap < kernel[i]; ++tap) {
          any |= place[i] * strides[i] + tap * dilations[i] - pads[i] == at_[first + i];
        }
        hits &= any;
      }
      Shape index = at_;
      std::ranges::copy(place, index.begin() + static_cast<std::ptrdiff_t>(first));
      for (std::int64_t c = 0; hits && c < shape(0)[channel]; ++c) {
        index[channel] = c;
        take(0, index);
      }
    });
    return true;
  }

  /// All elements that differ from this one only in the axes of `free`.
  bool spread(const std::vector<bool>& free, Shape index) {
    Numbers sizes(index.size(), 1);
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (free[i]) sizes[i] = shape(0)[i];
    }
    forEachTap(sizes, [&](const Numbers& moved) {
      for (std::size_t i = 0; i < index.size(); ++i) {
        if (free[i]) index[i] = moved[i];
      }
      take(0, index);
    });
    return true;
  }

  bool row() {
    const auto rank = static_cast<std::int64_t>(at_.size());
    const bool old = op_.domain.empty() && name_.ends_with("max");
    std::int64_t axis = op_.intAttribute("axis", old ? 1 : -1);
    if (axis < 0) axis += rank;
    std::vector<bool> free(at_.size());
    for (auto i = static_cast<std::size_t>(axis); i < at_.size(); ++i) free[i] = true;
    return spread(free, at_);
  }

  bool across() {
    std::vector<bool> free(at_.size());
    free[last_ || op_.domain == "tflite" ? at_.size() - 1 : 1] = true;
    return spread(free, at_);
  }

  bool fold() {
    const Shape& whole = shape(0);
    if (whole.size() == at_.size()) {
      std::vector<bool> free(at_.size());
      for (std::size_t i = 0; i < at_.size(); ++i) free[i] = whole[i] != made()[i];
      return spread(free, at_);
    }
    // One axis is gone, and from the sizes it is clear which.
    for (std::size_t gone = 0; gone < whole.size(); ++gone) {
      Shape left = whole;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(gone));
      if (left != made()) continue;
      Shape index = at_;
      index.insert(index.begin() + static_cast<std::ptrdiff_t>(gone), 0);
      std::vector<bool> free(whole.size());
      free[gone] = true;
      return spread(free, index);
    }
    return false;
  }

  /// Place of an output element in the input, in its elements.
  double coordinate(std::size_t axis) const {
    const auto from = static_cast<double>(shape(0)[axis]);
    const auto to = static_cast<double>(made()[axis]);
    const auto place = static_cast<double>(at_[axis]);
    std::string how = op_.stringAttribute("coordinate_transformation_mode", "half_pixel");
    if (op_.domain == "tflite") {
      how = op_.intAttribute("half_pixel_centers", 0) != 0 ? "half_pixel"
            : op_.intAttribute("align_corners", 0) != 0    ? "align_corners"
                                                           : "asymmetric";
    }
    if (op_.type == "Upsample" || how == "asymmetric") return place * from / to;
    if (how == "align_corners") return to == 1 ? 0 : place * (from - 1) / (to - 1);
    if (how == "pytorch_half_pixel" && to == 1) return 0;
    return (place + 0.5) * from / to - 0.5;
  }

  bool resize() {
    std::vector<Numbers> near(at_.size());
    const std::string mode =
        op_.stringAttribute("mode", op_.type == "RESIZE_BILINEAR" ? "linear" : "nearest");
    for (std::size_t axis = 0; axis < at_.size(); ++axis) {
      if (shape(0)[axis] == made()[axis]) {
        near[axis] = {at_[axis]};
        continue;
      }
      const double x = coordinate(axis);
      const auto below = static_cast<std::int64_t>(std::floor(x));
      Numbers taps = {below, below + 1};
      if (mode == "nearest") taps = {x - std::floor(x) <= 0.5 ? below : below + 1};
      if (mode == "cubic") taps = {below - 1, below, below + 1, below + 2};
      for (const std::int64_t tap : taps) {
        near[axis].push_back(std::clamp<std::int64_t>(tap, 0, shape(0)[axis] - 1));
      }
    }
    Numbers sizes;
    for (const Numbers& taps : near) sizes.push_back(static_cast<std::int64_t>(taps.size()));
    forEachTap(sizes, [&](const Numbers& chosen) {
      Shape index(at_.size());
      for (std::size_t i = 0; i < index.size(); ++i) {
        index[i] = near[i][static_cast<std::size_t>(chosen[i])];
      }
      take(0, index);
    });
    return true;
  }

  bool pad() {
    const Numbers pads = op_.intsAttribute("pads");
    if (pads.size() != 2 * at_.size()) return false;
    const std::string mode = op_.stringAttribute("mode", "constant");
    Shape index = at_;
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] -= pads[i];
      const bool outside = index[i] < 0 || index[i] >= shape(0)[i];
      if (mode == "edge") index[i] = std::clamp<std::int64_t>(index[i], 0, shape(0)[i] - 1);
      if (outside && (op_.type == "MIRROR_PAD" || (mode != "constant" && mode != "edge"))) {
        return false;
      }
    }
    return take(0, index);
  }

  std::size_t axisOf() const {
    const std::int64_t axis = op_.intAttribute("axis", 0);
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(at_.size()) : axis);
  }

  bool concat() {
    Shape index = at_;
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      const std::int64_t size = shape(input)[axisOf()];
      if (index[axisOf()] < size) return take(input, index);
      index[axisOf()] -= size;
    }
    return false;
  }

  bool split() {
    Shape index = at_;
    for (std::size_t before = 0; before < output_; ++before) {
      index[axisOf()] += (*graph_.tensors[op_.outputs[before]].shape)[axisOf()];
    }
    return take(name_ == "SPLIT" ? 1 : 0, index);
  }

  bool transpose() {
    Numbers order = op_.intsAttribute("perm");
    const std::size_t rank = at_.size();
    for (std::size_t i = 0; order.size() < rank; ++i) {
      order.push_back(static_cast<std::int64_t>(rank - 1 - i));
    }
    Shape index(rank);
    for (std::size_t i = 0; i < rank; ++i) index[static_cast<std::size_t>(order[i])] = at_[i];
    return take(0, index);
  }

  /// The place in blocks of b x b is exact; of the channels it may be any.
  bool blocks() {
    const std::int64_t block = op_.intAttribute("blocksize", 1);
    const std::size_t first = last_ ? 1 : 2;
    const std::size_t channel = last_ ? 3 : 1;
    const bool spreads = name_ == "DepthToSpace";
    forEachTap({spreads ? 1 : block, spreads ? 1 : block, shape(0)[channel]},
               [&](const Numbers& tap) {
                 Shape index = at_;
                 for (std::size_t i = 0; i < 2; ++i) {
                   std::int64_t& place = index[first + i];
                   place = spreads ? place / block : place * block + tap[i];
                 }
                 index[channel] = tap[2];
                 take(0, index);
               });
    return true;
  }

  bool isElementwise() const {
    static const TypeNames kOthers = {"Clip",  "Where",      "Cast",       "CastLike", "CAST",
                                      "PRelu", "QLinearAdd", "QLinearMul", "Identity", "Dropout"};
    const OpInfo* info = findOp(op_);
    const bool mapped = info != nullptr && info->kind == OpClass::elements &&
                        (info->inPlace == InPlace::first || info->inPlace == InPlace::any);
    static const TypeNames kCompared = {"Equal", "Greater",     "GreaterOrEqual",
                                        "Less",  "LessOrEqual", "NotEqual"};
    return kOthers.contains(name_) || kCompared.contains(name_) ||
           (mapped && name_ != "InstanceNormalization");
  }

  bool broadcast() {
    for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
      if (!op_.inputs[input] || graph_.tensors[op_.inputs[input]].constant) continue;
      const Shape& whole = shape(input);
      if (whole.size() > at_.size()) return false;
      Shape index(at_.end() - static_cast<std::ptrdiff_t>(whole.size()), at_.end());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        if (whole[i] == 1) index[i] = 0;
      }
      if (!take(input, index)) return false;
    }
    return true;
  }

  const Graph& graph_;
  const Op& op_;
  std::size_t output_;
  const Shape& at_;
  const SourceVisit& visit_;
  std::string_view name_{};
  bool last_ = false;
};

}  // namespace

bool forEachSource(const Graph& graph, OpId op, std::size_t output, const Shape& index,
                   const SourceVisit& visit) {
  return Sources(graph, graph.ops[op], output, index, visit).find();
}

}  // namespace hw
