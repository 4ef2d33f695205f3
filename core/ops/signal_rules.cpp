#include <algorithm>

#include "core/ops/op_rules.h"

namespace hw::shapes {
namespace {

Dtype outputType(const OpFacts& facts) {
  return dtypeOfElement(facts.op.intAttribute("output_datatype", 1));
}

}  // namespace

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
  if (axes.empty()) axes = firstIntegers(shape.size());
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
  const auto given = isNew ? facts.integer(2, "", -2) : facts.op.intAttribute("axis", 1);
  const auto axis = given ? normalAxis(*given, shape.size()) : std::nullopt;
  const auto length = axis ? facts.integer(1, "", shape[*axis]) : std::nullopt;
  if (!length) return {};
  shape[*axis] = *length;
  if (facts.op.intAttribute("onesided", 0) != 0) shape[*axis] = shape[*axis] / 2 + 1;
  shape.back() = 2;
  return outputs;
}

/// HannWindow and its like: as long as input 0 says.
OutputFacts windowFunction(const OpFacts& facts) {
  const auto size = facts.integer(0, "", -1);
  return size ? one(outputType(facts), {*size}) : OutputFacts();
}

/// MelWeightMatrix: (mels, length of the transform, …).
OutputFacts melWeights(const OpFacts& facts) {
  const auto mels = facts.integer(0, "", -1);
  const auto length = facts.integer(1, "", -1);
  if (!mels || !length || *length < 0) return {};
  return one(outputType(facts), {*length / 2 + 1, *mels});
}

/// STFT: (signal, step, window, length of a frame) -> (batch, frames, frequencies, 2).
OutputFacts shortFourier(const OpFacts& facts) {
  const Shape* signal = facts.shape(0);
  const Shape* windowed = facts.shape(2);
  const auto step = facts.integer(1, "", 0);
  const bool isWindowed = windowed != nullptr && windowed->size() == 1;
  const auto length = facts.integer(3, "", isWindowed ? windowed->front() : 0);
  if (signal == nullptr || signal->size() < 2 || !step || !length) return {};
  if (*step < 1 || *length < 1 || *length > (*signal)[1]) return {};
  const std::int64_t frames = ((*signal)[1] - *length) / *step + 1;
  const bool half = facts.op.intAttribute("onesided", 1) != 0;
  return one(facts.dtype(0), {signal->front(), frames, half ? *length / 2 + 1 : *length, 2});
}

/// Rfft: half of the frequencies and one more, each of two parts.
OutputFacts realFourier(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->empty()) return {};
  Shape& shape = *outputs[0].shape;
  shape.back() = shape.back() / 2 + 1;
  shape.push_back(2);
  return outputs;
}
OutputFacts inverseRealFourier(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty() || outputs[0].shape->size() < 2 || outputs[0].shape->back() != 2) return {};
  Shape& shape = *outputs[0].shape;
  shape.pop_back();
  if (shape.back() < 1) return {};
  shape.back() = 2 * (shape.back() - 1);
  return outputs;
}

/// UnfoldTensor: windows along an axis, the elements of each in a new last dimension.
OutputFacts unfolded(const OpFacts& facts) {
  OutputFacts outputs = like(facts, 0);
  if (outputs.empty()) return {};
  Shape& shape = *outputs[0].shape;
  const auto axis = normalAxis(facts.op.intAttribute("dim", -1), shape.size());
  const std::int64_t size = facts.op.intAttribute("size", 0);
  const std::int64_t step = facts.op.intAttribute("step", 1);
  if (!axis || size < 1 || step < 1 || shape[*axis] < size) return {};
  shape[*axis] = (shape[*axis] - size) / step + 1;
  shape.push_back(size);
  return outputs;
}

}  // namespace hw::shapes
