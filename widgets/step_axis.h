#pragma once

#include <vector>

#include "core/base/quantity.h"
#include "widgets/axis_tick.h"

namespace hw {

class ViewState;
struct Run;

/// Maps execution steps to pixels and back; fractions allowed on both sides. A value: the maps and
/// the chart build equal ones, so what is stacked lines up, and tests need no window.
struct StepAxis {
  double begin = 0;  ///< First visible step.
  double end = 1;    ///< One past the last; greater than `begin`.
  double left = 0;   ///< Pixel at which `begin` lies.
  double width = 1;  ///< Pixels.

  double toX(double step) const { return left + (step - begin) * width / (end - begin); }
  double toStep(double x) const { return begin + (x - left) * (end - begin) / width; }
  double pixelsPerStep() const { return width / (end - begin); }

  /// Shows `factor` times fewer steps; the step at pixel `x` stays there.
  StepAxis zoomed(double factor, double x) const;
  /// Moves the content `pixels` to the right.
  StepAxis panned(double pixels) const;

  /// Whole steps at least `spacing` pixels apart, on multiples of 1, 2 or 5 times a power of ten.
  std::vector<AxisTick> ticks(double spacing) const;
};

/// Where the playhead stands: inside the column of the step under way, further right the more of
/// its events have happened, never at the column's end. 0 before the first event.
/// O(log events).
double playheadStep(const ViewState& state);

/// The same for any moment of `run`, in which `step` is under way.
double playheadAt(const Run& run, std::size_t moment, Step step);

}  // namespace hw
