#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/quantity.h"
#include "core/memory/chunk_map.h"
#include "core/memory/event.h"

namespace hw {

/// The least and most bytes in use over some events.
struct UsageEnvelope {
  Bytes low{};
  Bytes high{};
  friend bool operator==(const UsageEnvelope&, const UsageEnvelope&) = default;
};

/// The bytes in use in every pool over the events of a trace, for any range of them at once: what a
/// chart needs for one pixel, however many events that pixel covers.
///
///     level 1   [  0..127  ][ 128..255 ]          least and most of two blocks
///     level 0   [0..63][64..127][128..191] ...    least and most of 64 events
///     events    . . . . . . . . . . . . .         replayed at the ends of a range
///
/// Events are not stored twice: a block keeps what is in use where it begins, and the rest is added
/// up from the events. That makes 0.6 bytes an event and pool.
class UsagePyramid {
 public:
  explicit UsagePyramid(std::size_t pools = 0) : pools_(pools) {}

  /// Of every event in order. O(1), and O(pools) every 64.
  void add(const MemoryEvent& event);
  /// Builds the upper levels; `query` may be asked only afterwards. O(pools x events / 64).
  void finish();

  /// Of one pool over [first, last) of `events`, the same that were added; see Trace::usage.
  /// O(log n).
  UsageEnvelope query(std::span<const MemoryEvent> events, PoolId pool, std::size_t first,
                      std::size_t last) const;

 private:
  static constexpr std::size_t kBlock = 64;

  struct Pool {
    Bytes now{};
    UsageEnvelope block{};        ///< Of the block being filled.
    std::vector<Bytes> starts{};  ///< In use before the first event of every block.
    std::vector<std::vector<UsageEnvelope>> levels{{}};  ///< Level k: runs of 2^k blocks.
  };

  void openBlocks();
  void closeBlocks();
  UsageEnvelope replay(std::span<const MemoryEvent> events, PoolId pool, std::size_t first,
                       std::size_t last) const;
  static UsageEnvelope blocks(const Pool& pool, std::size_t first, std::size_t last);

  IdMap<PoolId, Pool> pools_;
  std::size_t inBlock_ = 0;  ///< Events in the blocks being filled.
};

/// All pools' memory at one moment.
using MemoryState = IdMap<PoolId, ChunkMap>;

/// The history of a run's memory: an immutable, ordered list of events, with just enough keyframes
/// to show memory at any of them at once.
///
/// A keyframe is taken whenever the events since the last one outnumber the chunks alive, so
/// keyframes never cost more than the events, and a seek never replays more than one state's
/// worth: O(log n + live), which is what it costs to draw the answer anyway. Keyframes are packed
/// into one array, so that a small one costs its chunks and little else.
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

  /// Memory as step `step` finds it: the number of events of steps before it, or, where things
  /// happen side by side, of events before its op starts; that may be more than what a later step
  /// finds. O(log n).
  std::size_t indexOfStep(Step step) const;

  /// Memory after the first `count` events.
  MemoryState stateAfter(std::size_t count) const;

  /// The least and most bytes in use in a pool after any event in [first, last); an empty range
  /// gives what is in use before event `first`, twice. O(log n).
  using Envelope = UsageEnvelope;
  Envelope usage(PoolId pool, std::size_t first, std::size_t last) const;

  std::size_t keyframeCount() const { return frames_.size(); }

 private:
  /// Memory after `events` events. Pool p's boundaries lie in `boundaries_` from
  /// `marks_[firstMark + p].boundary` to the next mark's, its region sizes likewise.
  struct Frame {
    std::size_t events = 0;
    std::size_t firstMark = 0;
  };
  struct Mark {
    std::size_t boundary = 0;
    std::size_t region = 0;
  };

  MemoryState unpack(const Frame& frame) const;

  std::size_t poolCount_ = 0;
  std::vector<SimTime> times_;
  std::vector<MemoryEvent> events_;
  std::vector<std::size_t> stepBegins_;  ///< Empty where steps do not go backwards.
  std::vector<Frame> frames_;
  std::vector<Mark> marks_;
  std::vector<ChunkMap::Boundary> boundaries_;  ///< Of all keyframes, one after the other.
  std::vector<Bytes> regionSizes_;              ///< Likewise.
  UsagePyramid usage_;
};

class Trace::Builder {
 public:
  explicit Builder(std::size_t pools);
  void reserve(std::size_t events);
  /// `time` must not go backwards, nor `event.step`, unless it is said where steps begin.
  void add(SimTime time, const MemoryEvent& event);
  /// Adds the number of events before the op of the next step: for all steps, before any event is
  /// added.
  void addStepBegin(std::size_t events) { trace_.stepBegins_.push_back(events); }
  const MemoryState& state() const { return state_; }
  Trace finish() &&;

 private:
  void takeKeyframe();

  Trace trace_;
  MemoryState state_;
  std::size_t sinceKeyframe_ = 0;
  std::size_t chunks_ = 0;  ///< Alive now, over all pools.
};

/// The difference between two moments of a trace, over all pools.
struct MomentDelta {
  Bytes live{};       ///< Bytes in use at the second, less those at the first.
  Bytes allocated{};  ///< Bytes that got an owner in between, whichever moment is the earlier.
  Bytes released{};   ///< Bytes that lost theirs.
  friend bool operator==(const MomentDelta&, const MomentDelta&) = default;
};

/// Bytes in use in all pools after `moment` events. O(log events).
Bytes liveAt(const Trace& trace, std::size_t moment);

/// Moments are counts of events, at most the trace's. O(events in between).
MomentDelta momentDelta(const Trace& trace, std::size_t first, std::size_t second);

}  // namespace hw
