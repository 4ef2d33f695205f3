#include "tests/support/tflite/kernels.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace hw::test::tfl {
namespace {

enum Activation { kNone = 0, kRelu = 1, kReluN1To1 = 2, kRelu6 = 3 };

std::int32_t quantized(const Call& call, float value) {
  const float scaled = std::round(value / call.out().scale());
  call.require(std::abs(scaled) < 2147483648.0F, "its output's scale is too small");
  return call.out().zero() + static_cast<std::int32_t>(scaled);
}

}  // namespace

const Operand& Call::in(std::size_t input) const {
  if (!has(input)) refuse(fmt::format("it has no input {}", input));
  return inputs[input];
}

const Operand& Call::out() const {
  if (outputs.size() != 1) refuse("it needs one output");
  return outputs.front();
}

void Call::refuse(const std::string& why) const {
  throw Refusal(fmt::format("{}: {}", op->name, why));
}

void Call::refuseTypes() const {
  std::string types;
  for (const Operand& input : inputs) {
    if (input.about != nullptr) types += (types.empty() ? "" : ", ") + nameOf(input.type());
  }
  refuse(fmt::format("not known for {} to {}", types, nameOf(out().type())));
}

Kernel kernelOf(std::int32_t code) {
  static const std::map<std::int32_t, Kernel> kernels = {
      {0, add},
      {1, averagePool},
      {2, concatenate},
      {3, convolution},
      {4, depthwiseConvolution},
      {6, dequantize},
      {9, fullyConnected},
      {14, logistic},
      {17, maxPool},
      {18, multiply},
      {19, relu},
      {21, relu6},
      {22, reshape},
      {25, softmax},
      {28, hyperbolicTangent},
      {34, pad},
      {39, transpose},
      {40, mean},
      {41, subtract},
      {58, less},
      {60, pad},
      {65, slice},
      {97, resizeNearest},
      {98, leakyRelu},
      {114, quantize},
      {117, hardSwish},
      {151, updateSlice},
  };
  const auto found = kernels.find(code);
  return found == kernels.end() ? nullptr : found->second;
}

Bounds<float> floatBounds(const Call& call, int activation) {
  switch (activation) {
    case kNone:
      return {};
    case kRelu:
      return {.least = 0};
    case kReluN1To1:
      return {.least = -1, .most = 1};
    case kRelu6:
      return {.least = 0, .most = 6};
    default:
      call.refuse(fmt::format("activation {} is not known", activation));
  }
}

Bounds<std::int32_t> quantizedBounds(const Call& call, int activation) {
  Bounds<std::int32_t> bounds{.least = -128, .most = 127};
  const auto from = [&](float value) {
    bounds.least = std::max(bounds.least, quantized(call, value));
  };
  const auto upTo = [&](float value) {
    bounds.most = std::min(bounds.most, quantized(call, value));
  };
  call.require(call.out().scale() > 0, "its output has no scale");
  switch (activation) {
    case kNone:
      break;
    case kRelu:
      from(0);
      break;
    case kReluN1To1:
      from(-1), upTo(1);
      break;
    case kRelu6:
      from(0), upTo(6);
      break;
    default:
      call.refuse(fmt::format("activation {} is not known", activation));
  }
  return bounds;
}

Image imageOf(const Call& call, const Operand& operand) {
  const auto& shape = operand.shape();
  call.require(shape.size() == 4, "it needs tensors of four axes");
  return {shape[0], shape[1], shape[2], shape[3]};
}

void Window::pad(const Call& call, bool same, const Image& input) {
  call.require(
      height > 0 && width > 0 && strideY > 0 && strideX > 0 && dilationY > 0 && dilationX > 0,
      "its window or a stride is empty");
  const auto before = [&](int size, int window, int stride, int dilation) {
    if (!same) return 0;
    const int reach = (window - 1) * dilation + 1;
    const int outputs = (size + stride - 1) / stride;
    return std::max(0, (outputs - 1) * stride + reach - size) / 2;
  };
  padTop = before(input.height, height, strideY, dilationY);
  padLeft = before(input.width, width, strideX, dilationX);
}

void requireOverlap(const Call& call, bool sameTypes) {
  if (sameTypes) return;
  const std::byte* output = call.out().data;
  for (const Operand& input : call.inputs) {
    if (input.about == nullptr) continue;
    const bool apart = output + call.out().about->bytes() <= input.data ||
                       input.data + input.about->bytes() <= output;
    call.require(apart, "its output overlaps an input of another type");
  }
}

void copyBytes(const Call& call, std::byte* to, const std::byte* from, std::size_t count) {
  if (to == from || count == 0) return;
  const bool apart = to + count <= from || from + count <= to;
  call.require(apart, "it copies between bytes that overlap");
  std::memcpy(to, from, count);
}

}  // namespace hw::test::tfl
