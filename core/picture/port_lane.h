#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/canvas.h"
#include "core/sim/port_curve.h"

namespace hw {

/// Bytes per second of a port over the time of a run, with the sums of all before each step, so
/// that what any stretch of time moves costs a search. Immutable.
class PortLane {
 public:
  PortLane(std::string name, PortCurve curve);

  /// Of every port that moves bytes in time, in the order of `portCurves`.
  static std::vector<PortLane> of(const Run& run);

  const std::string& name() const { return name_; }
  const PortCurve& curve() const { return curve_; }
  /// Bytes per second at the upper end of a picture of it: the roof, or what exceeds it.
  double top() const { return top_; }

  /// Bytes moved before a place on an axis of time. O(log n).
  double until(double place) const;
  /// The steps of which a part lies in [from, to).
  std::span<const PortStep> between(double from, double to) const;
  /// "3.20 GB/s, 80.0 % of the roof"; without a roof the rate alone.
  std::string rateWords(double bytesPerSecond) const;

 private:
  std::string name_;
  PortCurve curve_;
  std::vector<double> before_;  ///< Bytes of all steps before each; one more than there are steps.
  double top_ = 0;
};

/// Of the area below its rates.
inline constexpr Fill kPortFill{Ink::highWater, 0.55};

/// Draws its rates into `box` as an area of stairs over `axis`, with a dashed line at the roof:
/// step by step where each has room, else the mean of every column of pixels.
void drawPortLane(Canvas& canvas, const PortLane& lane, const Box& box, const RunAxis& axis);

}  // namespace hw
