#include "tests/support/tflite/fixed_point.h"

#include <array>
#include <cmath>
#include <limits>

namespace hw::test::tfl {
namespace {

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
/// One, with two integer bits.
constexpr std::int32_t kOne2 = 1 << 29;

/// Product with a power of two that wraps around, as on the machines that run it.
std::int32_t shiftedLeft(std::int32_t x, int by) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << by);
}

std::int32_t wrappingSum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

std::int32_t saturatedLeft(std::int32_t x, int by) {
  const std::int32_t threshold = (1 << (31 - by)) - 1;
  if (x > threshold) return kMost;
  if (x < -threshold) return kLeast;
  return shiftedLeft(x, by);
}

/// `e^x` for x in [-1/4, 0): four terms of the series around -1/8.
std::int32_t expNearZero(std::int32_t a) {
  constexpr std::int32_t kExpOfEighth = 1895147668;  // e^(-1/8)
  constexpr std::int32_t kThird = 715827883;
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = highProduct(x, x);
  const std::int32_t x3 = highProduct(x2, x);
  const std::int32_t x4 = highProduct(x2, x2);
  const std::int32_t higher = highProduct(dividedByPower(x4, 2) + x3, kThird) + x2;
  return kExpOfEighth + highProduct(kExpOfEighth, x + dividedByPower(higher, 1));
}

/// `2 / (1 + x)` with two integer bits, by Newton's method; `1 + x` is halved first.
std::int32_t reciprocal(std::int32_t x) {
  const std::int64_t sum = std::int64_t{x} + kMost;
  const auto half = static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  std::int32_t result = 1515870810 + highProduct(half, -1010580540);  // 48/17, -32/17
  for (int i = 0; i < 3; ++i) {
    const std::int32_t rest = kOne2 - highProduct(half, result);
    result += saturatedLeft(highProduct(result, rest), 2);
  }
  return result;
}

}  // namespace

std::int32_t highProduct(std::int32_t a, std::int32_t b) {
  if (a == kLeast && b == kLeast) return kMost;
  const std::int64_t product = std::int64_t{a} * b;
  const std::int64_t nudge = product >= 0 ? (1 << 30) : 1 - (1 << 30);
  return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

std::int32_t dividedByPower(std::int32_t x, int exponent) {
  const auto mask = static_cast<std::int32_t>((std::int64_t{1} << exponent) - 1);
  const std::int32_t rest = x & mask;
  const std::int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (rest > threshold ? 1 : 0);
}

Multiplier Multiplier::of(double real) {
  if (real == 0) return {};
  Multiplier made;
  auto factor = static_cast<std::int64_t>(
      std::round(std::frexp(real, &made.shift) * static_cast<double>(std::int64_t{1} << 31)));
  if (factor == std::int64_t{1} << 31) {
    factor /= 2;
    ++made.shift;
  }
  if (made.shift < -31) return {};
  made.factor = static_cast<std::int32_t>(factor);
  return made;
}

std::int32_t Multiplier::operator()(std::int32_t x) const {
  if (shift > 0) return highProduct(shiftedLeft(x, shift), factor);
  return dividedByPower(highProduct(x, factor), -shift);
}

std::int32_t expOfNegative(std::int32_t x, int integerBits) {
  if (x == 0) return kMost;
  const int fraction = 31 - integerBits;
  const std::int32_t quarter = 1 << (fraction - 2);
  const std::int32_t inQuarter = (x & (quarter - 1)) - quarter;
  std::int32_t result = expNearZero(saturatedLeft(inQuarter, integerBits));
  const std::int32_t rest =
      wrappingSum(inQuarter, static_cast<std::int32_t>(-static_cast<std::uint32_t>(x)));
  // e^(-1/4), e^(-1/2), e^-1, e^-2, e^-4, e^-8, e^-16.
  constexpr std::array<std::int32_t, 7> kFactors = {1672461947, 1302514674, 790015084, 290630308,
                                                    39332535,   720401,     242};
  for (int exponent = -2; exponent <= 4 && exponent < integerBits; ++exponent) {
    if ((rest & (1 << (fraction + exponent))) == 0) continue;
    result = highProduct(result, kFactors[static_cast<std::size_t>(exponent + 2)]);
  }
  return result;
}

std::int32_t oneOverOnePlus(std::int32_t x) { return saturatedLeft(reciprocal(x), 1); }

std::int32_t fixedLogistic(std::int32_t x) {
  if (x == 0) return 1 << 30;
  const std::int32_t positive = oneOverOnePlus(expOfNegative(x > 0 ? -x : x, 4));
  return x > 0 ? positive : kMost - positive;
}

std::int32_t fixedTanh(std::int32_t x) {
  if (x == 0) return 0;
  // Twice x: one integer bit more for the same bits.
  const std::int32_t power = expOfNegative(x < 0 ? x : -x, 5);
  const std::int32_t positive = saturatedLeft(reciprocal(power) - kOne2, 2);
  return x < 0 ? -positive : positive;
}

std::int32_t inputRadius(int integerBits, int leftShift) {
  const double most = 1.0 * ((1 << integerBits) - 1) *
                      static_cast<double>(std::int64_t{1} << (31 - integerBits)) /
                      static_cast<double>(std::int64_t{1} << leftShift);
  return static_cast<std::int32_t>(std::floor(most));
}

}  // namespace hw::test::tfl
