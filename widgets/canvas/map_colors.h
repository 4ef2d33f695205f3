#pragma once

#include <QColor>
#include <array>

#include "widgets/theme.h"

namespace hw {

/// `share` of `a` over `1 - share` of `b`, per channel.
QColor mixColors(const QColor& a, const QColor& b, double share);

/// Black or white, whichever reads better on `fill`.
QColor readableOn(const QColor& fill);

/// How blocks of one class look at one time.
struct BlockShade {
  QRgb fill = 0;
  QRgb edge = 0;
  QRgb thin = 0;  ///< Instead of both when a block is too thin for an edge: must stand out alone.
};

/// The colours of a map, worked out once from a theme so that filling a million pixels looks
/// nothing up. Indexed by TensorClass.
struct MapColors {
  using Shades = std::array<BlockShade, 5>;

  QRgb plot = 0;
  QRgb grid = 0;
  Shades past{};    ///< Gone, or not yet gone but begun.
  Shades future{};  ///< Not begun.
  Shades live{};    ///< In memory now.
  Shades pale{};    ///< Not what a filter picked out, at any time.

  static MapColors of(const Theme& theme);
  friend bool operator==(const MapColors& a, const MapColors& b) {
    return a.plot == b.plot && a.grid == b.grid && a.live[0].fill == b.live[0].fill;
  }
};

}  // namespace hw
