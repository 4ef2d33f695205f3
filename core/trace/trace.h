#pragma once

#include <vector>

#include "core/memory/chunk_map.h"
#include "core/memory/event.h"

namespace hw {

/// All pools' memory at one moment.
using MemoryState = IdMap<PoolId, ChunkMap>;

/// The history of a run's memory: an immutable, ordered list of events, with just enough keyframes
/// to show memory at any of them at once.
///
/// A keyframe is taken whenever the events since the last one outnumber the chunks alive, so
/// keyframes never cost more than the events, and a seek never replays more than one state's
/// worth: O(log n + live), which is what it costs to draw the answer anyway.
class Trace {
 public:
  class Builder;

  std::size_t size() const { return events_.size(); }
  const MemoryEvent& event(std::size_t index) const { return events_[index]; }
  const std::vector<MemoryEvent>& events() const { return events_; }
  SimTime timeOf(std::size_t index) const { return times_[index]; }
  std::size_t poolCount() const { return poolCount_; }

  /// The number of events that have happened by `time`, those at `time` included. O(log n).
  std::size_t indexAt(SimTime time) const;

  /// The number of events of steps before `step`: memory as step `step` finds it. O(log n).
  std::size_t indexOfStep(Step step) const;

  /// Memory after the first `count` events.
  MemoryState stateAfter(std::size_t count) const;

  /// The least and most bytes in use in a pool after any event in [first, last). O(log n).
  struct Envelope {
    Bytes low{};
    Bytes high{};
  };
  Envelope usage(PoolId pool, std::size_t first, std::size_t last) const;

  std::size_t keyframeCount() const { return keyframes_.size(); }

 private:
  struct Keyframe {
    std::size_t events = 0;  ///< It shows memory after this many.
    MemoryState state{};
  };

  std::size_t poolCount_ = 0;
  std::vector<SimTime> times_;
  std::vector<MemoryEvent> events_;
  std::vector<Keyframe> keyframes_;
  /// Per pool; level k summarises runs of 2^k events.
  std::vector<std::vector<std::vector<Envelope>>> pyramids_;
};

class Trace::Builder {
 public:
  explicit Builder(std::size_t pools);
  void reserve(std::size_t events);
  /// `time` and `event.step` must not go backwards.
  void add(SimTime time, const MemoryEvent& event);
  const MemoryState& state() const { return state_; }
  Trace finish() &&;

 private:
  Trace trace_;
  MemoryState state_;
  std::size_t sinceKeyframe_ = 0;
  std::size_t chunks_ = 0;
};

}  // namespace hw
