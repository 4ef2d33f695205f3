#pragma once

#include <QStringList>
#include <string>
#include <vector>

#include "core/picture/port_lane.h"
#include "core/run/run.h"

namespace hw {

/// A part of the machine that works, or waits, while ops run.
struct Lane {
  enum class Kind { unit, memory, copies };
  Kind kind{};
  std::string name{};
};

/// The work of the parts of the machine in every step of a run: a lane for each compute unit and
/// each memory that ever works, and one for copies between devices. A step's time is that of its
/// copies and of its op. In direct mode a unit and the memories of an op start together, and the
/// slowest of them decides how long it takes; first accesses come on top.
class LaneStore {
 public:
  /// When a lane works within one step, in fractions of the step's time.
  struct Part {
    double begin = 0;
    double end = 0;
    bool decides = false;  ///< The step waits for it.
  };
  /// Of the time that several steps take, from 0 to 1.
  struct Share {
    double busy = 0;
    double deciding = 0;
  };

  /// O(ops x lanes). Without lanes when nothing of the run is timed: a planning problem.
  static LaneStore of(const Run& run);

  const std::vector<Lane>& lanes() const { return lanes_; }
  Step steps() const { return Step(static_cast<std::int64_t>(ends_.size()) - 1); }
  /// Copies and op.
  SimTime timeOf(Step step) const;
  SimTime busyTime(std::size_t lane, Step step) const;
  /// An empty one when the lane rests, or the step takes no time.
  Part part(std::size_t lane, Step step) const;
  /// In the steps from `from` up to `to`, both within the run. O(1).
  Share share(std::size_t lane, Step from, Step to) const;

 private:
  class Builder;

  /// Sums over all steps before one; the last is that of the whole run.
  using Sums = std::vector<SimTime>;
  struct Work {
    Sums busy{};
    Sums deciding{};
  };

  std::vector<Lane> lanes_;
  std::vector<Work> work_;  ///< By lane.
  Sums ends_{SimTime()};
  Sums copies_{SimTime()};
};

/// The kind, time, place and cause of an activity: a line each, plain.
QStringList activityLines(const Run& run, ActivityId activity);

/// The rate of a port at a time, and who it serves then: a line each, plain.
QStringList portLines(const Run& run, const PortLane& lane, SimTime time);

/// The next on the critical path after `from`, or its first where nothing is selected or `from` is
/// over before it begins; none after the last. O(path).
ActivityId nextOnPath(const Run& run, ActivityId from);

}  // namespace hw
