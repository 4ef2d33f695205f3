#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/run/run.h"

namespace hw {

/// A mark on an axis: where, in the axis' own unit, and what to write beside it.
struct AxisTick {
  double value = 0;
  std::string label{};
};

/// Unit of the axis to the right: execution steps, or picoseconds of simulated time.
enum class AxisUnit : std::uint8_t { step, time };

/// A whole place on that axis, in its unit.
using AxisPlace = Quantity<struct AxisPlaceUnit>;

/// Place of a time on an axis of time.
inline double onAxis(SimTime time) { return time.real(); }

/// Maps the steps or the time of a run to pixels and back; fractions allowed on both sides. A
/// value: the maps and the chart build equal ones, so what is stacked lines up, and tests need no
/// window.
struct RunAxis {
  double begin = 0;  ///< First visible place.
  double end = 1;    ///< One past the last; greater than `begin`.
  double left = 0;   ///< Pixel at which `begin` lies.
  double width = 1;  ///< Pixels.
  AxisUnit unit = AxisUnit::step;
  std::string_view stepName = "step";  ///< Of a run whose steps were made up: `stepWord`.

  double toX(double place) const { return left + (place - begin) * width / (end - begin); }
  double toPlace(double x) const { return begin + (x - left) * (end - begin) / width; }
  double pixelsPerUnit() const { return width / (end - begin); }

  /// Shows `factor` times less; what is at pixel `x` stays there.
  RunAxis zoomed(double factor, double x) const;
  /// Moves the content `pixels` to the right.
  RunAxis panned(double pixels) const;

  /// Marks at least `spacing` pixels apart, on multiples of 1, 2 or 5 times a power of ten: whole
  /// steps, or times all in one unit, 0 without one: "0", "0.5 ms", "1.0 ms".
  std::vector<AxisTick> ticks(double spacing) const;
};

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

/// True if anything of a run has a time of its own: not in a planning problem, nor where nothing
/// was simulated.
bool isTimed(const Run& run);

/// Places of the steps of one run on its axis to the right, and back: the one mapping that maps,
/// charts, lanes and markers share. On an axis of steps each lies on itself. On one of time ops
/// that run side by side may start in another order than that of their steps, so columns are cut
/// where one more of the steps up to one has started: they tile the axis in the order of the steps,
/// and may be empty. Immutable.
class RunScale {
 public:
  RunScale() = default;
  /// Time only of a run that is timed. O(steps).
  RunScale(const Run& run, AxisUnit unit);

  AxisUnit unit() const { return unit_; }
  /// End of the run on the axis; greater than 0.
  double length() const { return length_; }
  /// The shortest stretch that a view may show.
  double leastVisible() const;

  /// Begin of the column of `step`; of the step after the last, where the run ends.
  double begin(Step step) const;
  /// When the op of `step` itself runs; its column on an axis of steps.
  Interval<double> during(Step step) const;
  /// The step whose column holds `place`; at the ends, the first or last.
  Step stepAt(double place) const;

  /// Fractions of columns to places on the axis, and back.
  double fromSteps(double step) const;
  double toSteps(double place) const;

 private:
  AxisUnit unit_ = AxisUnit::step;
  std::int64_t steps_ = 1;
  double length_ = 1;
  std::vector<double> begins_;  ///< By step; only of time, like the next.
  std::vector<Interval<double>> ops_;
};

/// "step", or "virtual time" where steps are an order made up for drawing: the name of the axis.
std::string_view stepWord(const Run& run);

/// Number of steps on the axis of a run, at least 1.
Step stepsOf(const Run& run);

}  // namespace hw
