#pragma once

#include <memory>
#include <optional>

#include "core/run/run.h"

namespace hw {

/// A moment of a run to go to. Several steps may share a moment: those in which nothing happens.
struct StopPoint {
  std::size_t moment = 0;  ///< Trace events that have happened.
  Step step{};
  friend bool operator==(const StopPoint&, const StopPoint&) = default;
};

/// The moment at which `step` has made its allocations and not yet its releases. O(log events).
StopPoint pointOfStep(const Run& run, Step step);

enum class StopKind {
  occupancyAbove,   ///< The bytes in use in `pool` rise above `bytes`.
  allocationFails,  ///< A tensor finds no place, or ends beyond its pool's capacity.
  allocated,        ///< `stay`, or any stay of its buffer, gets its bytes; none: any tensor.
  freed,            ///< Likewise gives them back.
  holeBelow,  ///< The largest free chunk of `pool` shrinks below `bytes`; without any it is 0.
  step,       ///< `step` is under way.
};

/// Condition to run until.
struct StopCondition {
  StopKind kind = StopKind::step;
  PoolId pool{};
  Bytes bytes{};
  StayId stay{};
  Step step{};
};

/// Looks for the next moment at which a condition is met, forwards or backwards, a few events at a
/// time, so that it can be shown, stopped and gone on with.
///
/// A run has one set of moments that meet a condition, each at the end of an entry of its timeline;
/// both directions visit the same. Levels (occupancy, hole) are met where they come to hold, not
/// wherever they hold, so looking again finds the next time and not the next event.
class StopScan {
 public:
  enum class State { searching, met, notMet };

  /// Starts at `from`, which never counts itself. O(log events + chunks). `run` outlives this.
  StopScan(const Run& run, const StopCondition& condition, StopPoint from, bool forwards);
  ~StopScan();
  StopScan(StopScan&&) noexcept;
  StopScan& operator=(StopScan&&) noexcept;

  /// Looks at `entries` more entries of the timeline at most. O(log chunks) each.
  State advance(std::size_t entries);
  State state() const { return state_; }
  /// Once met: where. Before: how far it has looked.
  StopPoint at() const { return at_; }

 private:
  class Level;

  StopPoint pointAfter(std::size_t entries) const;
  void startEvents(bool forwards);
  bool matches(const TimelineEntry& entry) const;
  bool stepsOnce();
  bool crosses();
  void findPoint(const std::vector<StopPoint>& points);

  const Run* run_;
  StopCondition condition_;
  StopPoint from_;
  bool forwards_;
  State state_ = State::searching;
  StopPoint at_;
  std::size_t entry_ = 0;  ///< Entries of the timeline that lie before what was looked at.
  std::unique_ptr<Level> level_;
};

/// The first moment that meets `condition` after `from`, or the last before it; nothing when none
/// does.
std::optional<StopPoint> findStop(const Run& run, const StopCondition& condition, StopPoint from,
                                  bool forwards);

}  // namespace hw
