#pragma once

#include <cstdint>

/// Arithmetic of quantized kernels, bit for bit as TFLite's reference kernels do it: products of
/// 32 bits with two roundings, and elementary functions on fixed-point numbers after gemmlowp.
namespace hw::test::tfl {

/// Upper half of twice the product, rounded to the nearest, saturated.
std::int32_t highProduct(std::int32_t a, std::int32_t b);

/// `x / 2^exponent`, rounded to the nearest, halves away from zero.
std::int32_t dividedByPower(std::int32_t x, int exponent);

/// Real factor as `factor / 2^31 * 2^shift`.
struct Multiplier {
  std::int32_t factor = 0;
  int shift = 0;

  static Multiplier of(double real);

  /// Product of `x` and the factor.
  std::int32_t operator()(std::int32_t x) const;
};

/// `e^x` for `x ≤ 0` with 5 or 4 integer bits; the result has none.
std::int32_t expOfNegative(std::int32_t x, int integerBits);

/// `1 / (1 + x)` for x in [0, 1), no integer bits.
std::int32_t oneOverOnePlus(std::int32_t x);

/// Logistic function and hyperbolic tangent of a number with 4 integer bits; the results have none.
std::int32_t fixedLogistic(std::int32_t x);
std::int32_t fixedTanh(std::int32_t x);

/// Largest input, without sign, that does not saturate when scaled by `2^leftShift`.
std::int32_t inputRadius(int integerBits, int leftShift);

}  // namespace hw::test::tfl
