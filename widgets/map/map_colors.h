#pragma once

#include <QColor>
#include <array>

#include "widgets/base/theme.h"

namespace hw {

/// `share` of `a` over `1 - share` of `b`, per channel.
inline QColor mixColors(const QColor& a, const QColor& b, double share) {
  return QColor(mixed(a.rgb() & 0xffffffU, b.rgb() & 0xffffffU, share));
}

/// Near black or white, whichever reads better on `fill`.
inline QColor readableOn(const QColor& fill) { return QColor(readableOn(fill.rgb() & 0xffffffU)); }

/// The look of blocks of one class at one time.
struct BlockShade {
  QRgb fill = 0;
  QRgb edge = 0;
  QRgb thin = 0;
};

/// The colours of a map, looked up once so that filling a million pixels looks nothing up. Indexed
/// by BlockClass.
struct MapColors {
  using Shades = std::array<BlockShade, kAllClasses>;

  QRgb plot = 0;
  QRgb grid = 0;
  Shades past{};
  Shades future{};
  Shades live{};
  Shades pale{};

  static MapColors of(const Palette& palette) {
    MapColors colors;
    const auto color = [&](Ink ink) { return 0xff000000U | palette[ink]; };
    colors.plot = color(Ink::plot);
    colors.grid = color(Ink::grid);
    Shades* const times[] = {&colors.past, &colors.future, &colors.live, &colors.pale};
    for (std::size_t time = 0; time < std::size(times); ++time) {
      for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
        const auto part = [&](BlockPart of) {
          return color(blockInk(static_cast<BlockClass>(kind), static_cast<BlockTime>(time), of));
        };
        (*times[time])[kind] = {part(BlockPart::fill), part(BlockPart::edge),
                                part(BlockPart::thin)};
      }
    }
    return colors;
  }
  friend bool operator==(const MapColors& a, const MapColors& b) {
    return a.plot == b.plot && a.grid == b.grid && a.live[0].fill == b.live[0].fill;
  }
};

}  // namespace hw
