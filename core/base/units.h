#pragma once

#include <array>

#include "core/base/text.h"

namespace hw {

/// How many digits of a figure are shown, and whether it is rounded down or to the nearest.
struct UnitDigits {
  int count = 3;
  bool down = false;
};

/// Units of time as texts name them, each a thousand of the one before.
inline constexpr std::array<std::string_view, 5> kTimeUnits = {"ps", "ns", "\u00b5s", "ms", "s"};

/// The same as without `digits`, which shows three, rounded to the nearest. Less than the second
/// unit is shown as it is.
std::string formatBytes(Bytes bytes, UnitDigits digits);
std::string formatTime(SimTime time, UnitDigits digits);

}  // namespace hw
