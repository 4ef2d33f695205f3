#include <algorithm>
#include <numeric>

#include "core/import/shape_rules.h"

namespace hw {
namespace {

/// Where the ONNX library's rules end; it answers for older ops, quirks of theirs included.
bool isForLibrary(const OpFacts& facts) {
  constexpr std::int64_t kNewestOpset = 17;
  return facts.op.domain.empty() && facts.opset <= kNewestOpset;
}

/// A list with one entry a spatial axis.
std::vector<std::int64_t> spatialList(const OpFacts& facts, const char* name, std::size_t count,
                                      std::int64_t fallback) {
  auto list = facts.op.intsAttribute(name);
  if (list.empty()) list.assign(count, fallback);
  return list;
}

/// How often a window fits along one axis.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padBefore = 0;
  std::int64_t padAfter = 0;
  bool roundsUp = false;
};

bool isReasonable(std::int64_t number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31U;
  return number >= 0 && number <= kMost;
}

std::optional<std::int64_t> placesOf(const Window& window, std::int64_t size, bool same) {
  for (const std::int64_t number :
       {window.kernel, window.stride, window.dilation, window.padBefore, window.padAfter, size}) {
    if (!isReasonable(number)) return std::nullopt;
  }
  if (window.stride == 0 || window.kernel == 0) return std::nullopt;
  if (same) return (size + window.stride - 1) / window.stride;
  const auto reach = checkedMul(window.dilation, window.kernel - 1);
  if (!reach) return std::nullopt;
  const std::int64_t room = size + window.padBefore + window.padAfter - *reach - 1;
  if (room < 0) return std::nullopt;
  std::int64_t places = room / window.stride + 1;
  if (!window.roundsUp || room % window.stride == 0) return places;
  // A last window that would begin in the padding behind does not count.
  return places * window.stride < size + window.padBefore ? places + 1 : places;
}

/// Pooling, and DeformConv, whose weight tells kernel and channels.
OutputFacts window(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  if (isForLibrary(facts) && facts.op.type != "DeformConv") return {};
  if (input == nullptr || input->size() < 3) return {};
  if (facts.op.intAttribute("channels_last", 0) != 0) return {};
  const std::size_t axes = input->size() - 2;
  const Shape* weight = facts.op.type == "DeformConv" ? facts.shape(1) : nullptr;
  auto kernel = facts.op.intsAttribute("kernel_shape");
  if (weight != nullptr && weight->size() == input->size()) {
    kernel.assign(weight->begin() + 2, weight->end());
  }
  const auto strides = spatialList(facts, "strides", axes, 1);
  const auto dilations = spatialList(facts, "dilations", axes, 1);
  const auto pads = spatialList(facts, "pads", 2 * axes, 0);
  const std::string padding = facts.op.stringAttribute("auto_pad", "NOTSET");
  if (kernel.size() != axes || strides.size() != axes || dilations.size() != axes ||
      pads.size() != 2 * axes) {
    return {};
  }
  Shape shape = *input;
  if (weight != nullptr) shape[1] = weight->front();
  for (std::size_t i = 0; i < axes; ++i) {
    const bool isValid = padding == "VALID";
    const Window each{.kernel = kernel[i],
                      .stride = strides[i],
                      .dilation = dilations[i],
                      .padBefore = isValid ? 0 : pads[i],
                      .padAfter = isValid ? 0 : pads[i + axes],
                      .roundsUp = facts.op.intAttribute("ceil_mode", 0) != 0};
    const auto places = placesOf(each, shape[i + 2], padding.starts_with("SAME"));
    if (!places) return {};
    shape[i + 2] = *places;
  }
  OutputFacts outputs = one(facts.dtype(0), shape);
  if (facts.outputCount > 1) outputs.push_back({Dtype::int64, shape});  // Where each maximum was.
  return outputs;
}

/// All spatial axes become 1. ONNX Runtime's quantised one may have the channels last.
OutputFacts globalPool(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() < 2) return {};
  Shape& shape = *outputs[0].shape;
  const bool channelsLast = facts.op.intAttribute("channels_last", 0) != 0;
  std::fill(shape.begin() + (channelsLast ? 1 : 2), shape.end() - (channelsLast ? 1 : 0), 1);
  return outputs;
}

/// Cut or filled up around the middle to the sizes given.
OutputFacts centerCropPad(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  const auto sizes = facts.integers(1, "");
  if (outputs.empty() || !sizes || !facts.has(1)) return {};
  Shape& shape = *outputs[0].shape;
  auto axes = facts.op.intsAttribute("axes");
  if (axes.empty()) {
    axes.resize(shape.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
  }
  if (axes.size() != sizes->size()) return {};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = normalAxis(axes[i], shape.size());
    if (!axis) return {};
    shape[*axis] = (*sizes)[i];
  }
  return outputs;
}

/// Col2Im: (N, C x block, L) -> (N, C, picture).
OutputFacts columnsToImage(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto image = facts.integers(1, "");
  const auto block = facts.integers(2, "");
  if (input == nullptr || input->size() != 3 || !image || !block) return {};
  const auto area = elementCount(*block);
  if (!area || *area <= 0) return {};
  Shape shape = {(*input)[0], (*input)[1] / *area};
  shape.insert(shape.end(), image->begin(), image->end());
  return one(facts.dtype(0), shape);
}

/// AffineGrid: for (N, C, spatial) a point of as many coordinates at each place.
OutputFacts affineGrid(const OpFacts& facts) {
  const auto size = facts.integers(1, "");
  if (!size || size->size() < 3) return {};
  Shape shape = {size->front()};
  shape.insert(shape.end(), size->begin() + 2, size->end());
  shape.push_back(static_cast<std::int64_t>(size->size()) - 2);
  return one(facts.dtype(0), shape);
}

/// DFT: real and imaginary part last; half of the frequencies when they mirror the others.
OutputFacts fourier(const OpFacts& facts) {
  constexpr std::int64_t kFirstWithAxisInput = 20;
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() < 2) return {};
  Shape& shape = *outputs[0].shape;
  const bool isNew = facts.opset >= kFirstWithAxisInput;
  const auto given = isNew ? facts.integers(2, "", {-2}) : std::nullopt;
  if (isNew && (!given || given->size() != 1)) return {};
  const auto axis =
      normalAxis(isNew ? given->front() : facts.op.intAttribute("axis", 1), shape.size());
  if (!axis) return {};
  if (facts.has(1)) {
    const auto length = facts.integers(1, "");
    if (!length || length->size() != 1) return {};
    shape[*axis] = length->front();
  }
  if (facts.op.intAttribute("onesided", 0) != 0) shape[*axis] = shape[*axis] / 2 + 1;
  shape.back() = 2;
  return outputs;
}

constexpr std::array kSignal = {
    ShapeRule{ShapeKind::window, &window},
    ShapeRule{ShapeKind::globalPool, &globalPool},
    ShapeRule{ShapeKind::centerCropPad, &centerCropPad},
    ShapeRule{ShapeKind::columnsToImage, &columnsToImage},
    ShapeRule{ShapeKind::affineGrid, &affineGrid},
    ShapeRule{ShapeKind::fourier, &fourier},
};

}  // namespace

std::span<const ShapeRule> signalRules() { return kSignal; }

}  // namespace hw
