#pragma once

#include <QPen>

#include "widgets/theme.h"

namespace hw {

/// How the curve of compared run `index` is drawn, 0 being A: the Okabe-Ito colours that can be
/// told apart on the theme's plot, and another dash for each, so that colour is not all that
/// tells them apart. They repeat after `kSeriesStyles`.
QPen seriesPen(std::size_t index, const Theme& theme);
inline constexpr std::size_t kSeriesStyles = 8;

}  // namespace hw
