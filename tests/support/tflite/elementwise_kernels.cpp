#include <algorithm>
#include <cmath>

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

/// Element of `Out` for each element of `In`.
template <class In, class Out, class Op>
void map(const Call& call, Op op) {
  call.require(call.in(0).elements() == call.out().elements(), "its sizes differ");
  requireOneType<In, Out>(call);
  const auto* input = call.in(0).as<In>();
  auto* output = call.out().as<Out>();
  const std::int64_t count = call.out().elements();
  for (std::int64_t i = 0; i < count; ++i) output[i] = op(input[i]);
}

template <class T>
T saturated(std::int32_t x) {
  const Bounds<std::int32_t> bounds{.least = std::numeric_limits<T>::min(),
                                    .most = std::numeric_limits<T>::max()};
  return static_cast<T>(bounds(x));
}

/// Ratio of the scales, a quotient of float32.
double scaleRatio(const Call& call, float factor = 1) {
  call.require(call.in(0).scale() > 0 && call.out().scale() > 0, "a scale is missing");
  return static_cast<double>(call.in(0).scale() * factor / call.out().scale());
}

/// Input of int8 with four integer bits and 27 behind the point.
struct FourBits {
  explicit FourBits(const Call& call) : zero(call.in(0).zero()) {
    call.require(call.in(0).scale() > 0, "a scale is missing");
    const double real = static_cast<double>(call.in(0).scale()) * (1 << 27);
    factor.factor = static_cast<std::int32_t>(
        std::round(std::frexp(real, &factor.shift) * static_cast<double>(std::int64_t{1} << 31)));
    radius = inputRadius(4, factor.shift);
  }

  std::int32_t zero;
  Multiplier factor{};
  std::int32_t radius = 0;
};

/// Curve with four integer bits at its input, none at its output, and `bits` in its int8 result.
void curve(const Call& call, std::int32_t (*function)(std::int32_t), int bits, int zero) {
  const FourBits scaled(call);
  map<std::int8_t, std::int8_t>(call, [&](std::int8_t x) {
    const std::int32_t input = x - scaled.zero;
    if (input <= -scaled.radius) return std::int8_t{-128};
    if (input >= scaled.radius) return std::int8_t{127};
    const std::int32_t result = function(scaled.factor(input));
    return saturated<std::int8_t>(dividedByPower(result, 31 - bits) + zero);
  });
}

std::int16_t highProduct16(std::int16_t a, std::int16_t b) {
  if (a == b && a == -32768) return 32767;
  const std::int32_t product = a * b;
  return static_cast<std::int16_t>((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) /
                                   (1 << 15));
}

/// Upper half of twice the product, rounded towards zero.
std::int16_t truncatedProduct16(std::int16_t a, std::int16_t b) {
  if (a == b && a == -32768) return 32767;
  return static_cast<std::int16_t>(a * b / (1 << 15));
}

std::int16_t upper16(std::int32_t factor) {
  if (factor >= std::numeric_limits<std::int32_t>::max() - (1 << 15)) return 32767;
  return static_cast<std::int16_t>((factor + (1 << 15)) >> 16);
}

/// Hard swish of int8, in 16 bits.
struct HardSwish8 {
  explicit HardSwish8(const Call& call)
      : inputZero(call.in(0).zero()), outputZero(call.out().zero()) {
    call.require(call.in(0).scale() > 0 && call.out().scale() > 0, "a scale is missing");
    const float fine = (1.0F / 128.0F) * call.in(0).scale();
    output = Multiplier::of(static_cast<double>(fine / call.out().scale()));
    gate = Multiplier::of(static_cast<double>(fine / (3.0F / 32768.0F)));
    call.require(output.shift <= 0, "its output's scale is too small");
  }

  /// `min(1, max(0, (x + 3) / 6))` with 15 bits behind the point.
  std::int16_t gateOf(std::int16_t x) const {
    if (gate.shift > 0) x = saturated<std::int16_t>(shifted(x, gate.shift - 1));
    x = highProduct16(x, upper16(gate.factor));
    if (gate.shift > 0) x = saturated<std::int16_t>(shifted(x, 1));
    if (gate.shift < 0) x = static_cast<std::int16_t>(dividedByPower(x, -gate.shift));
    return static_cast<std::int16_t>((x + (1 << 15)) >> 1);
  }

  /// Product with a power of two, kept within 32 bits.
  static std::int32_t shifted(std::int16_t x, int by) {
    const std::int64_t product = std::int64_t{x} * (std::int64_t{1} << by);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(product, -32768, 32767));
  }

  std::int8_t operator()(std::int8_t x) const {
    const auto fine = static_cast<std::int16_t>((x - inputZero) * (1 << 7));
    const std::int16_t scaled = highProduct16(fine, upper16(output.factor));
    const std::int16_t gated = truncatedProduct16(gateOf(fine), scaled);
    return saturated<std::int8_t>(dividedByPower(gated, -output.shift) + outputZero);
  }

  std::int32_t inputZero;
  std::int32_t outputZero;
  Multiplier output{};
  Multiplier gate{};
};

template <class In, class Out>
void requantize(const Call& call) {
  call.require(call.in(0).scale() > 0 && call.out().scale() > 0, "a scale is missing");
  const auto factor = Multiplier::of(static_cast<double>(call.in(0).scale()) /
                                     static_cast<double>(call.out().scale()));
  const std::int32_t inputZero = call.in(0).zero();
  const std::int32_t outputZero = call.out().zero();
  map<In, Out>(call, [&](In x) {
    return saturated<Out>(factor(static_cast<std::int32_t>(x) - inputZero) + outputZero);
  });
}

/// Integer of a float32; what does not fit is the least, as on x86.
std::int32_t truncated(float x) {
  const bool fits = x >= -2147483648.0F && x < 2147483648.0F;
  return fits ? static_cast<std::int32_t>(x) : std::numeric_limits<std::int32_t>::min();
}

template <class Out>
void quantizeFloats(const Call& call) {
  const float scale = call.out().scale();
  const auto zero = static_cast<std::uint32_t>(call.out().zero());
  call.require(scale > 0, "its output has no scale");
  map<float, Out>(call, [&](float x) {
    const auto rounded = static_cast<std::uint32_t>(truncated(std::round(x / scale)));
    return saturated<Out>(static_cast<std::int32_t>(rounded + zero));
  });
}

template <class In>
void requantizeTo(const Call& call) {
  switch (call.out().type()) {
    case Type::kInt8:
      return requantize<In, std::int8_t>(call);
    case Type::kInt16:
      return requantize<In, std::int16_t>(call);
    case Type::kInt32:
      return requantize<In, std::int32_t>(call);
    default:
      call.refuseTypes();
  }
}

template <class In>
void dequantizeFrom(const Call& call) {
  const auto scale = static_cast<double>(call.in(0).scale());
  const std::int32_t zero = call.in(0).zero();
  map<In, float>(call, [&](In x) { return static_cast<float>(scale * (x - zero)); });
}

}  // namespace

void relu(const Call& call) {
  if (call.isOf(Type::kFloat32)) {
    return map<float, float>(call, [](float x) { return x < 0.0F ? 0.0F : x; });
  }
  if (!call.isOf(Type::kInt8)) call.refuseTypes();
  const auto factor = Multiplier::of(scaleRatio(call));
  const std::int32_t inputZero = call.in(0).zero();
  const std::int32_t outputZero = call.out().zero();
  const std::int32_t least = std::max(-128, outputZero);
  map<std::int8_t, std::int8_t>(call, [&](std::int8_t x) {
    return saturated<std::int8_t>(std::max(least, outputZero + factor(x - inputZero)));
  });
}

void relu6(const Call& call) {
  if (call.isOf(Type::kFloat32)) {
    return map<float, float>(call, [](float x) { return x > 6.0F ? 6.0F : x < 0.0F ? 0.0F : x; });
  }
  if (!call.isOf(Type::kInt8)) call.refuseTypes();
  call.require(call.in(0).scale() > 0, "a scale is missing");
  const auto least = static_cast<std::int8_t>(call.in(0).zero());
  const auto most = saturated<std::int8_t>(
      static_cast<std::int32_t>(std::round(6.0F / call.in(0).scale())) + call.in(0).zero());
  map<std::int8_t, std::int8_t>(call, [&](std::int8_t x) {
    return x > most ? most : x < least ? least : x;
  });
}

void logistic(const Call& call) {
  if (call.isOf(Type::kInt8)) return curve(call, fixedLogistic, 8, -128);
  if (!call.isOf(Type::kFloat32)) call.refuseTypes();
  map<float, float>(call, [](float x) {
    if (x > 16.619047164916992188F) return 1.0F;
    if (x < -9.0F) return std::exp(x);
    return 1.0F / (1.0F + std::exp(-x));
  });
}

void hyperbolicTangent(const Call& call) {
  if (call.isOf(Type::kInt8)) return curve(call, fixedTanh, 7, 0);
  if (!call.isOf(Type::kFloat32)) call.refuseTypes();
  map<float, float>(call, [](float x) { return std::tanh(x); });
}

void hardSwish(const Call& call) {
  if (call.isOf(Type::kInt8)) return map<std::int8_t, std::int8_t>(call, HardSwish8(call));
  if (!call.isOf(Type::kFloat32)) call.refuseTypes();
  map<float, float>(call,
                    [](float x) { return x * std::min(6.0F, std::max(0.0F, x + 3.0F)) / 6.0F; });
}

void leakyRelu(const Call& call) {
  const auto slope = call.option<float>(0, 0);
  if (call.isOf(Type::kFloat32)) {
    return map<float, float>(call, [&](float x) { return x > 0 ? x : x * slope; });
  }
  if (!call.isOf(Type::kInt8)) call.refuseTypes();
  const auto above = Multiplier::of(scaleRatio(call));
  Multiplier below = Multiplier::of(scaleRatio(call, slope));
  const int sign = below.factor < 0 ? -1 : 1;
  below.factor *= sign;
  const std::int32_t inputZero = call.in(0).zero();
  const std::int32_t outputZero = call.out().zero();
  map<std::int8_t, std::int8_t>(call, [&](std::int8_t x) {
    const std::int32_t input = x - inputZero;
    const std::int32_t scaled = input >= 0 ? above(input) : sign * below(input);
    return saturated<std::int8_t>(outputZero + scaled);
  });
}

void quantize(const Call& call) {
  const bool toInt16 = call.out().type() == Type::kInt16;
  switch (call.in(0).type()) {
    case Type::kFloat32:
      if (toInt16) return quantizeFloats<std::int16_t>(call);
      if (call.out().type() == Type::kInt8) return quantizeFloats<std::int8_t>(call);
      call.refuseTypes();
    case Type::kInt8:
      if (call.out().type() == Type::kUInt8) return requantize<std::int8_t, std::uint8_t>(call);
      return requantizeTo<std::int8_t>(call);
    case Type::kInt16:
      return requantizeTo<std::int16_t>(call);
    case Type::kInt32:
      return requantizeTo<std::int32_t>(call);
    case Type::kUInt8:
      if (call.out().type() == Type::kInt8) return requantize<std::uint8_t, std::int8_t>(call);
      call.refuseTypes();
    default:
      call.refuseTypes();
  }
}

void dequantize(const Call& call) {
  if (call.out().type() != Type::kFloat32) call.refuseTypes();
  switch (call.in(0).type()) {
    case Type::kInt8:
      return dequantizeFrom<std::int8_t>(call);
    case Type::kInt16:
      return dequantizeFrom<std::int16_t>(call);
    case Type::kUInt8:
      return dequantizeFrom<std::uint8_t>(call);
    default:
      call.refuseTypes();
  }
}

}  // namespace hw::test::tfl
