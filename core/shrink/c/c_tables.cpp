#include "core/shrink/c/c_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hw {
namespace {

constexpr std::int64_t kTwo31 = std::int64_t{1} << 31;
constexpr std::int32_t kMost32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kLeast32 = std::numeric_limits<std::int32_t>::min();

std::int32_t saturated32(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, kLeast32, kMost32));
}
std::int8_t saturated8(std::int64_t x) {
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(x, -128, 127));
}
std::int16_t saturated16(std::int64_t x) {
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(x, -32768, 32767));
}

/// `a * b / 2^bits`, rounded to the nearest.
std::int64_t highPart(std::int64_t a, std::int64_t b, int bits) {
  const std::int64_t product = a * b;
  const std::int64_t half = std::int64_t{1} << (bits - 1);
  return (product + (product >= 0 ? half : 1 - half)) / (std::int64_t{1} << bits);
}
std::int32_t high32(std::int32_t a, std::int32_t b) { return saturated32(highPart(a, b, 31)); }

/// `x / 2^exponent`, rounded to the nearest, halves away from zero.
std::int32_t halved(std::int32_t x, std::int32_t exponent) {
  const std::int64_t half = (std::int64_t{1} << exponent) / 2;
  return static_cast<std::int32_t>((x + (x < 0 ? -half : half)) / (std::int64_t{1} << exponent));
}

/// `e^x` for `x <= 0` with so many bits in front of the point; the result has none. After gemmlowp.
std::int32_t expOf(std::int32_t x, int integerBits) {
  if (x == 0) return kMost32;
  const int fraction = 31 - integerBits;
  const std::int64_t quarter = std::int64_t{1} << (fraction - 2);
  const std::int64_t inside = (x & (quarter - 1)) - quarter;
  // The series around -1/8, then a factor for each bit of what is below the last quarter.
  const auto t = static_cast<std::int32_t>(inside * (std::int64_t{1} << integerBits) + (1 << 28));
  constexpr std::int32_t kExpOfEighth = 1895147668;
  constexpr std::int32_t kThird = 715827883;
  const std::int32_t t2 = high32(t, t);
  const std::int32_t t4 = high32(t2, t2);
  const std::int32_t higher = high32(halved(t4, 2) + high32(t2, t), kThird) + t2;
  std::int32_t result = kExpOfEighth + high32(kExpOfEighth, t + halved(higher, 1));
  constexpr std::array<std::int32_t, 7> kPowers = {1672461947, 1302514674, 790015084, 290630308,
                                                   39332535,   720401,     242};
  const std::int64_t rest = inside - x;
  for (std::size_t bit = 0; bit < kPowers.size(); ++bit) {
    const int place = fraction - 2 + static_cast<int>(bit);
    if (place < 31 && (rest >> place & 1) != 0) result = high32(result, kPowers[bit]);
  }
  return result;
}

/// `2 / (1 + x)` for x in [0, 1) with two bits in front of the point, by Newton's method.
std::int32_t twoOverOnePlus(std::int32_t x) {
  const auto half = static_cast<std::int32_t>((x + kTwo31) / 2);
  std::int32_t result = 1515870810 + high32(half, -1010580540);  // 48/17 - 32/17 * half
  for (int i = 0; i < 3; ++i) {
    const std::int32_t rest = (1 << 29) - high32(half, result);
    result += saturated32(std::int64_t{high32(result, rest)} * 4);
  }
  return result;
}

/// Logistic function and hyperbolic tangent with four bits in front of the point, none behind.
std::int32_t logisticOf(std::int32_t x) {
  if (x == 0) return 1 << 30;
  const std::int32_t above =
      saturated32(std::int64_t{twoOverOnePlus(expOf(x > 0 ? -x : x, 4))} * 2);
  return x > 0 ? above : kMost32 - above;
}
std::int32_t tanhOf(std::int32_t x) {
  if (x == 0) return 0;
  // e^(2x): the same bits with one more in front of the point.
  const std::int32_t quotient = twoOverOnePlus(expOf(x > 0 ? -x : x, 5));
  const std::int32_t above = saturated32((std::int64_t{quotient} - (1 << 29)) * 4);
  return x > 0 ? above : -above;
}

template <class Function>
CTable tableOf(const Function& function) {
  CTable table{};
  for (int x = -128; x < 128; ++x) {
    table[static_cast<std::size_t>(x + 128)] = function(static_cast<std::int32_t>(x));
  }
  return table;
}

/// A curve whose output has `bits` behind the point and begins at `zero`.
std::optional<CTable> curveTable(CUnits in, std::int32_t (*curve)(std::int32_t), int bits,
                                 int zero) {
  const auto factor = CScale::of(static_cast<double>(in.scale) * (1 << 27));
  if (!factor) return {};
  const std::int32_t radius = inputRadiusOf(4, factor->shift);
  return tableOf([&](std::int32_t x) -> std::int8_t {
    const std::int32_t from = x - in.zero;
    if (from <= -radius) return -128;
    if (from >= radius) return 127;
    return saturated8(halved(curve((*factor)(from)), 31 - bits) + zero);
  });
}

double ratio(CUnits in, CUnits out, float factor = 1) {
  return static_cast<double>(in.scale * factor / out.scale);
}

/// The upper half of a multiplier.
std::int16_t upperHalf(std::int32_t multiplier) {
  if (multiplier >= kMost32 - (1 << 15)) return 32767;
  return static_cast<std::int16_t>((multiplier + (1 << 15)) >> 16);
}

/// `min(1, max(0, (x + 3) / 6))`, 15 bits behind the point.
std::int16_t gateOf(std::int16_t x, CScale gate) {
  const auto shifted = [](std::int16_t from, std::int32_t by) {
    return saturated16(std::int64_t{from} * (std::int64_t{1} << by));
  };
  if (gate.shift > 0) x = shifted(x, gate.shift - 1);
  x = saturated16(highPart(x, upperHalf(gate.multiplier), 15));
  if (gate.shift > 0) x = shifted(x, 1);
  if (gate.shift < 0) x = static_cast<std::int16_t>(halved(x, -gate.shift));
  return static_cast<std::int16_t>((x + (1 << 15)) >> 1);
}

}  // namespace

std::optional<CScale> CScale::of(double factor) {
  if (!std::isfinite(factor)) return {};
  if (factor == 0) return CScale{};
  CScale made;
  auto whole = std::llround(std::frexp(factor, &made.shift) * static_cast<double>(kTwo31));
  if (whole == kTwo31) {
    whole /= 2;
    ++made.shift;
  }
  if (made.shift > 30) return {};
  if (made.shift < -31) return CScale{};
  made.multiplier = static_cast<std::int32_t>(whole);
  return made;
}

std::int32_t CScale::operator()(std::int32_t x) const {
  if (shift <= 0) return halved(high32(x, multiplier), -shift);
  return high32(static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << shift), multiplier);
}

std::int32_t inputRadiusOf(int integerBits, std::int32_t shift) {
  const double most = std::ldexp((1 << integerBits) - 1, 31 - integerBits - shift);
  return static_cast<std::int32_t>(std::floor(std::min<double>(most, kMost32)));
}

std::optional<CTable> logisticTable(CUnits in) { return curveTable(in, logisticOf, 8, -128); }
std::optional<CTable> tanhTable(CUnits in) { return curveTable(in, tanhOf, 7, 0); }

std::optional<CTable> hardSwishTable(CUnits in, CUnits out) {
  const CUnits fine{(1.0F / 128.0F) * in.scale};
  const auto made = CScale::of(ratio(fine, out));
  const auto gate = CScale::of(ratio(fine, {3.0F / 32768.0F}));
  if (!made || !gate || made->shift > 0) return {};
  return tableOf([&](std::int32_t x) {
    const auto from = static_cast<std::int16_t>((x - in.zero) * 128);
    const std::int16_t scaled = saturated16(highPart(from, upperHalf(made->multiplier), 15));
    const std::int16_t gated = saturated16(gateOf(from, *gate) * scaled / (1 << 15));
    return saturated8(halved(gated, -made->shift) + out.zero);
  });
}

std::optional<CTable> reluTable(CUnits in, CUnits out) {
  const auto factor = CScale::of(ratio(in, out));
  if (!factor) return {};
  return tableOf([&](std::int32_t x) {
    return saturated8(
        std::max<std::int64_t>(out.zero, std::int64_t{(*factor)(x - in.zero)} + out.zero));
  });
}

std::optional<CTable> relu6Table(CUnits in) {
  const double six = std::round(6.0F / in.scale);
  const std::int8_t most = saturated8(static_cast<std::int64_t>(std::min(six, 512.0)) + in.zero);
  return tableOf([&](std::int32_t x) {
    return static_cast<std::int8_t>(x > most ? most : std::max(x, in.zero));
  });
}

std::optional<CTable> leakyReluTable(CUnits in, CUnits out, float slope) {
  const auto above = CScale::of(ratio(in, out));
  const auto below = CScale::of(std::abs(ratio(in, out, slope)));
  if (!above || !below) return {};
  return tableOf([&](std::int32_t x) {
    const std::int32_t from = x - in.zero;
    const std::int64_t scaled = from >= 0 ? (*above)(from) : (*below)(from);
    return saturated8(out.zero + (from < 0 && slope < 0 ? -scaled : scaled));
  });
}

std::optional<CTable> requantizeTable(CUnits in, bool fromUnsigned, CUnits out, bool toUnsigned) {
  const auto factor = CScale::of(static_cast<double>(in.scale) / static_cast<double>(out.scale));
  if (!factor) return {};
  return tableOf([&](std::int32_t x) {
    const std::int32_t from = fromUnsigned ? static_cast<std::uint8_t>(x) : x;
    const std::int64_t made = std::int64_t{(*factor)(from - in.zero)} + out.zero;
    if (!toUnsigned) return saturated8(made);
    return static_cast<std::int8_t>(
        static_cast<std::uint8_t>(std::clamp<std::int64_t>(made, 0, 255)));
  });
}

}  // namespace hw
