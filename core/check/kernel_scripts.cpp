#include "core/check/kernel_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/graph/tiling.h"
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
    if (kernel.size() != places || isPooled(op_)) return false;
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
    const bool mapped = info != nullptr &&
                        (info->kind == OpClass::elements || info->kind == OpClass::activation) &&
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

namespace {

using Rows = std::vector<std::int64_t>;

/// One op and the shapes of its data and its result.
struct Reader {
  const Graph& graph;
  const Op& op;
  std::string kind{};  ///< Its type by its standard name.
  Shape in{};
  Shape out{};
  bool channelsLast = false;

  const Shape* weight() const {
    const OpInfo* info = findOp(op);
    const std::size_t at = info != nullptr ? info->weight : 1;
    if (at >= op.inputs.size() || !op.inputs[at]) return nullptr;
    const auto& shape = graph.tensors[op.inputs[at]].shape;
    return shape ? &*shape : nullptr;
  }
};

std::string kindOf(const Op& op) {
  static const std::map<std::string, std::string> kTwins = {{"CONV_2D", "Conv"},
                                                            {"DEPTHWISE_CONV_2D", "Conv"},
                                                            {"CONV_3D", "Conv"},
                                                            {"QLinearConv", "Conv"},
                                                            {"ConvInteger", "Conv"},
                                                            {"FusedConv", "Conv"},
                                                            {"AVERAGE_POOL_2D", "Pool"},
                                                            {"MAX_POOL_2D", "Pool"},
                                                            {"L2_POOL_2D", "Pool"},
                                                            {"AveragePool", "Pool"},
                                                            {"MaxPool", "Pool"},
                                                            {"LpPool", "Pool"},
                                                            {"QLinearAveragePool", "Pool"},
                                                            {"PAD", "PadRows"},
                                                            {"PADV2", "PadRows"},
                                                            {"Pad", "PadRows"},
                                                            {"RESIZE_BILINEAR", "Resize"},
                                                            {"RESIZE_NEAREST_NEIGHBOR", "Resize"},
                                                            {"Upsample", "Resize"},
                                                            {"FULLY_CONNECTED", "Product"},
                                                            {"MatMul", "Product"},
                                                            {"Gemm", "Product"},
                                                            {"Conv", "Conv"},
                                                            {"Resize", "Resize"}};
  const auto twin = kTwins.find(op.type);
  return twin != kTwins.end() ? twin->second : std::string();
}

std::int64_t firstOf(const Op& op, const char* name, std::int64_t fallback) {
  const auto list = op.intsAttribute(name);
  return list.empty() ? fallback : list.front();
}

/// The rows that the window of output row `row` touches, tap by tap.
struct Taps {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;
  std::int64_t rows = 1;

  Rows of(std::int64_t row) const {
    Rows touched;
    for (std::int64_t tap = 0; tap < kernel; ++tap) {
      const std::int64_t at = row * stride + tap * dilation - before;
      if (at >= 0 && at < rows) touched.push_back(at);
    }
    return touched;
  }
};

Taps tapsOf(const Reader& reader, std::int64_t kernel, std::size_t axis) {
  Taps taps{.kernel = kernel,
            .stride = firstOf(reader.op, "strides", 1),
            .dilation = firstOf(reader.op, "dilations", 1),
            .rows = reader.in[axis]};
  const std::string padding = reader.op.stringAttribute("auto_pad", "NOTSET");
  // The rows that the last window lacks are padded, half of them before; an odd one comes after
  // (SAME_UPPER) or before (SAME_LOWER).
  std::int64_t missing = (reader.out[axis] - 1) * taps.stride;
  missing += (kernel - 1) * taps.dilation + 1 - taps.rows;
  if (padding == "SAME_UPPER") taps.before = std::max<std::int64_t>(missing, 0) / 2;
  if (padding == "SAME_LOWER") taps.before = (std::max<std::int64_t>(missing, 0) + 1) / 2;
  if (padding == "NOTSET" || padding.empty()) taps.before = firstOf(reader.op, "pads", 0);
  return taps;
}

/// The input rows around the place of an output row, by every way of counting coordinates: by the
/// ratio of the sizes, from pixel centre to pixel centre, from corner to corner; as many around as
/// a cubic needs.
Rows aroundPlace(std::int64_t row, std::int64_t inRows, std::int64_t outRows) {
  const double ratio = static_cast<double>(inRows) / static_cast<double>(outRows);
  const auto at = static_cast<double>(row);
  const double corners =
      outRows > 1 ? at * static_cast<double>(inRows - 1) / static_cast<double>(outRows - 1) : 0;
  Rows touched;
  for (const double place : {at * ratio, (at + 0.5) * ratio - 0.5, corners}) {
    for (int tap = -1; tap <= 2; ++tap) {
      const auto near = static_cast<std::int64_t>(std::floor(place)) + tap;
      if (near >= 0 && near < inRows) touched.push_back(near);
    }
  }
  return touched;
}

std::optional<Bytes> rowBytes(const Graph& graph, TensorId id, std::int64_t rows) {
  const Tensor& tensor = graph.tensors[id];
  if (rows < 1 || !tensor.bytes || tensor.bytes->count() % rows != 0) return std::nullopt;
  return Bytes(tensor.bytes->count() / rows);
}

using Reading = std::function<Rows(std::int64_t)>;

/// Sets how many rows there are; false where bytes do not fall into them.
bool setRows(const Graph& graph, std::int64_t inRows, std::int64_t outRows, RowScript& script) {
  const auto in = rowBytes(graph, script.input, inRows);
  const auto out = rowBytes(graph, script.output, outRows);
  if (!in || !out) return false;
  script.inRow = *in;
  script.outRow = *out;
  script.inRows = inRows;
  script.outRows = outRows;
  return true;
}

/// Images, channels last: a row has all channels.
bool readLast(const Reader& reader, const Reading& rows, RowScript& script) {
  if (!setRows(reader.graph, reader.in[1], reader.out[1], script)) return false;
  script.reads = rows;
  return true;
}

/// Channels first: output channel by output channel, each with all input channels of its group.
bool readFirst(const Reader& reader, std::int64_t groups, const Reading& rows, RowScript& script) {
  // A line of one dimension counts as one row.
  const bool lines = reader.in.size() == 3;
  const std::int64_t inRows = lines ? 1 : reader.in[2];
  const std::int64_t outRows = lines ? 1 : reader.out[2];
  const std::int64_t channels = reader.in[1];
  const std::int64_t made = reader.out[1];
  if (groups < 1 || channels % groups != 0 || made % groups != 0) return false;
  if (!setRows(reader.graph, channels * inRows, made * outRows, script)) return false;
  script.reads = [=](std::int64_t row) {
    const std::int64_t group = row / outRows / (made / groups);
    const Rows within = lines ? Rows{0} : rows(row % outRows);
    Rows all;
    for (std::int64_t each = 0; each < channels / groups; ++each) {
      const std::int64_t channel = group * (channels / groups) + each;
      for (const std::int64_t at : within) all.push_back(channel * inRows + at);
    }
    return all;
  };
  return true;
}

bool readWindows(const Reader& reader, RowScript& script) {
  const auto kernels = reader.op.intsAttribute("kernel_shape");
  std::int64_t kernel = kernels.empty() ? 1 : kernels.front();
  const bool convolves = reader.kind == "Conv";
  if (isPooled(reader.op)) return false;
  if (convolves && kernels.empty()) {
    const Shape* weight = reader.weight();
    if (weight == nullptr || weight->size() != reader.in.size()) return false;
    const std::size_t axis = !reader.channelsLast ? 2 : reader.op.type == "CONV_3D" ? 0 : 1;
    kernel = (*weight)[axis];
  }
  if (reader.channelsLast) {
    const Taps taps = tapsOf(reader, kernel, 1);
    return readLast(
        reader, [taps](std::int64_t row) { return taps.of(row); }, script);
  }
  const Taps taps = tapsOf(reader, kernel, 2);
  const std::int64_t groups = convolves ? reader.op.intAttribute("group", 1) : reader.in[1];
  return readFirst(
      reader, groups, [taps](std::int64_t row) { return taps.of(row); }, script);
}

bool readResize(const Reader& reader, RowScript& script) {
  const bool last = reader.op.type.starts_with("RESIZE_") || reader.channelsLast;
  const std::size_t axis = last ? 1 : 2;
  const std::int64_t inRows = reader.in[axis];
  const std::int64_t outRows = reader.out[axis];
  const Reading rows = [=](std::int64_t row) { return aroundPlace(row, inRows, outRows); };
  return last ? readLast(reader, rows, script) : readFirst(reader, reader.in[1], rows, script);
}

/// So many rows are added before as there may be: each output row may be any of those above it.
bool readPad(const Reader& reader, RowScript& script) {
  const bool mirrors = reader.op.stringAttribute("mode", "constant") != "constant";
  if (reader.op.type == "Pad" && (!reader.channelsLast || mirrors)) return false;
  const std::int64_t rows = reader.in[1];
  const std::int64_t added = reader.out[1] - rows;
  return readLast(
      reader,
      [=](std::int64_t row) {
        Rows touched;
        for (std::int64_t before = 0; before <= added; ++before) {
          if (row - before >= 0 && row - before < rows) touched.push_back(row - before);
        }
        return touched;
      },
      script);
}

bool readProduct(const Reader& reader, RowScript& script) {
  const Shape* weight = reader.weight();
  const auto elements = elementCount(reader.in);
  const std::int64_t depth =
      reader.op.type == "FULLY_CONNECTED" && weight != nullptr ? weight->back() : reader.in.back();
  if (!elements || depth < 1 || *elements % depth != 0) return false;
  if (reader.op.intAttribute("transA", 0) != 0) return false;
  const std::int64_t rows = *elements / depth;
  if (!setRows(reader.graph, rows, rows, script)) return false;
  script.reads = [](std::int64_t row) { return Rows{row}; };
  return true;
}

}  // namespace

std::optional<RowScript> rowScriptOf(const Graph& graph, const Op& op) {
  const TensorId input = dataInput(op);
  Reader reader{.graph = graph, .op = op, .kind = kindOf(op)};
  if (runsInParts(graph) || reader.kind.empty() || !input || op.outputs.empty() || !op.outputs[0])
    return std::nullopt;
  const Tensor& in = graph.tensors[input];
  const Tensor& out = graph.tensors[op.outputs[0]];
  if (!in.shape || !out.shape || in.shape->empty() || out.shape->empty()) return std::nullopt;
  reader.in = *in.shape;
  reader.out = *out.shape;
  reader.channelsLast = op.intAttribute("channels_last", 0) != 0;
  RowScript script{.input = input, .output = op.outputs[0]};
  if (reader.kind == "Product") {
    return readProduct(reader, script) ? std::optional(script) : std::nullopt;
  }
  const bool image = reader.in.size() >= 3 && reader.in.size() == reader.out.size() &&
                     reader.in.front() == 1 && reader.out.front() == 1;
  const bool read = image && (reader.kind == "PadRows"  ? readPad(reader, script)
                              : reader.kind == "Resize" ? readResize(reader, script)
                                                        : readWindows(reader, script));
  return read ? std::optional(script) : std::nullopt;
}

std::optional<std::int64_t> firstSpoiler(const RowScript& script, Bytes input, Bytes output,
                                         bool forward) {
  const auto turn = [&](std::int64_t row) { return forward ? row : script.outRows - 1 - row; };
  // When each row of the input is read last.
  std::vector<std::int64_t> last(static_cast<std::size_t>(script.inRows), -1);
  for (std::int64_t row = 0; row < script.outRows; ++row) {
    for (const std::int64_t at : script.reads(row)) {
      auto& known = last[static_cast<std::size_t>(at)];
      known = std::max(known, turn(row));
    }
  }
  for (std::int64_t row = 0; row < script.outRows; ++row) {
    const Bytes begin = output + script.outRow * row - input;
    const Bytes end = begin + script.outRow;
    const std::int64_t first = std::max<std::int64_t>(0, begin.count() / script.inRow.count() - 1);
    for (std::int64_t at = first; at < script.inRows && script.inRow * at < end; ++at) {
      if (script.inRow * (at + 1) <= begin) continue;
      if (last[static_cast<std::size_t>(at)] >= turn(row)) return row;
    }
  }
  return std::nullopt;
}

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
