#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace hw {

/// A real factor as the integer kernels of TFLite apply it: `multiplier / 2^31 * 2^shift`.
struct CScale {
  std::int32_t multiplier = 0;
  std::int32_t shift = 0;

  /// The nearest one; nothing for what is no number or 2^30 and more.
  static std::optional<CScale> of(double factor);
  /// Product with `x`, rounded twice, as kernels do it.
  std::int32_t operator()(std::int32_t x) const;
};

/// A function of int8 as its values, by x + 128.
using CTable = std::array<std::int8_t, 256>;

/// Scale and zero point of what a function reads and writes.
struct CUnits {
  float scale = 1;
  std::int32_t zero = 0;
};

// Functions of one number, bit for bit as reference kernels of TFLite make them; nothing where
// scales are too far apart for those. LOGISTIC and TANH have outputs of the scales that TFLite
// gives them, 1/256 from -128 on and 1/128 around 0.

std::optional<CTable> logisticTable(CUnits in);
std::optional<CTable> tanhTable(CUnits in);
std::optional<CTable> hardSwishTable(CUnits in, CUnits out);
std::optional<CTable> reluTable(CUnits in, CUnits out);
std::optional<CTable> relu6Table(CUnits in);
std::optional<CTable> leakyReluTable(CUnits in, CUnits out, float slope);
/// QUANTIZE from one scale to another; bytes are those of uint8 where told.
std::optional<CTable> requantizeTable(CUnits in, bool fromUnsigned, CUnits out, bool toUnsigned);

/// The largest difference that does not saturate with `integerBits` in front of the point when
/// scaled by 2^shift.
std::int32_t inputRadiusOf(int integerBits, std::int32_t shift);

}  // namespace hw
