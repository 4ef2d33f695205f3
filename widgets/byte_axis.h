#pragma once

#include <vector>

#include "widgets/axis_tick.h"

namespace hw {

/// Maps addresses or sizes to pixels and back. `low` lies at pixel `start`, `high` at
/// `start + length`; a negative length makes bytes grow upwards. A value.
struct ByteAxis {
  double low = 0;     ///< Bytes.
  double high = 1;    ///< Bytes; greater than `low`.
  double start = 0;   ///< Pixel.
  double length = 1;  ///< Pixels; not zero.
  bool hex = false;   ///< Marks lie on powers of two, and are written as addresses.

  double toPixel(double bytes) const { return start + (bytes - low) * length / (high - low); }
  double toBytes(double pixel) const { return low + (pixel - start) * (high - low) / length; }

  /// Shows `factor` times fewer bytes; the byte at `pixel` stays there.
  ByteAxis zoomed(double factor, double pixel) const;
  /// Moves the content by `pixels`.
  ByteAxis panned(double pixels) const;

  /// Marks at least `spacing` pixels apart, on 1, 2 or 5 times a power of ten of bytes, KiB, MiB,
  /// …, or on quarters and halves of one; all in one unit, 0 without one: "0", "40 KiB", "80 KiB".
  /// In hexadecimal: "0", "0x8000", "0x10000".
  std::vector<AxisTick> ticks(double spacing) const;
};

}  // namespace hw
