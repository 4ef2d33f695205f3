#pragma once

#include <vector>

#include "core/picture/axis.h"
#include "core/run/run.h"

namespace hw {

/// Whether anything of a run has a time of its own: not in a planning problem, nor where nothing
/// was simulated.
bool isTimed(const Run& run);

/// Where the steps of one run lie on its axis to the right, and back: the one mapping that maps,
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
  /// Where the run ends on the axis; greater than 0.
  double length() const { return length_; }
  /// The shortest stretch that a view may show.
  double leastVisible() const;

  /// Where the column of `step` begins; of the step after the last, where the run ends.
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

/// How many steps the axis of a run has, at least 1.
Step stepsOf(const Run& run);

}  // namespace hw
