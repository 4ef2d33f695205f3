#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/columns.h"
#include "core/picture/axis.h"

namespace hw {

/// A value of a figure in few words, with its unit.
std::string valueText(double value, ColumnKind kind);

/// A unit in which values of a figure are written, all of them alike.
struct ValueUnit {
  double one = 1;      ///< So much of the figure's own.
  std::string name{};  ///< "ms", "KiB"; empty: there is none.

  /// The unit in which `most` has one digit at least before the point.
  static ValueUnit of(double most, ColumnKind kind);
  /// With three digits, without the unit.
  std::string text(double value) const;
};

/// From the least to the most of what there is.
struct ValueSpan {
  double low = 0;
  double high = 0;
  bool any = false;

  void include(double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
};

/// Maps values of a figure to pixels and back: bytes, picoseconds, shares, or plain numbers. A
/// value.
class ValueAxis {
 public:
  /// `low` lies at pixel `start`, `high`, which is greater, at `start + length`; a negative length
  /// makes values grow upwards. With `doubles`, for values above 0, each doubling is as long.
  ValueAxis(ColumnKind kind, double low, double high, bool doubles, double start, double length);

  /// All of a span and a little more. Each doubling is as long where `doubles` says so, and where
  /// some values, all from 1 up, are more than three times as large as others; never of shares.
  static ValueAxis around(ColumnKind kind, const ValueSpan& span, bool doubles, double start,
                          double length);

  /// Values below an axis of doublings lie at its low end.
  double toPixel(double value) const;
  /// Marks at least `apart` pixels from each other. Where each doubling is as long: of bytes all
  /// powers of two, and quarters of their distance where few of them are on screen, whatever their
  /// distance; of others one digit, or one and a half.
  std::vector<AxisTick> ticks(double apart) const;

  bool isDoubling() const { return doubles_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  std::vector<AxisTick> powers() const;
  std::vector<AxisTick> digits(double apart) const;
  std::vector<AxisTick> even(double apart) const;

  ColumnKind kind_;
  double low_;
  double high_;
  bool doubles_;
  double start_;
  double length_;
};

}  // namespace hw
