#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// A row of a trace viewer. Slices of one lane never overlap: viewers ask that they nest.
struct TraceLane {
  std::string name{};
  std::size_t group = 0;
  PoolId pool{};  ///< Of buffers; none: of activities.
};

/// What happens on a lane: an activity, or a buffer that has its bytes.
struct TraceSlice {
  std::uint32_t lane = 0;
  Interval<SimTime> time{};
  ActivityId activity{};  ///< None: of a buffer, like what follows.
  StayId stay{};
  PoolId pool{};
  Bytes offset{};  ///< From the start of its pool.
  Bytes size{};
};

/// From `time` on, so many bytes of a pool are in use.
struct TraceLevel {
  SimTime time{};
  PoolId pool{};
  Bytes inUse{};
};

/// One more fact about a slice: its key, and a number or words.
using TraceNote = std::pair<std::string_view, std::variant<std::int64_t, std::string>>;

/// A simulated run as viewers of traces want it: what both formats write (docs/formats/traces.md).
struct TraceTracks {
  std::vector<std::string> groups{};  ///< The devices, and last the memories.
  std::vector<TraceLane> lanes{};
  std::vector<TraceSlice> slices{};  ///< Activities by id, then buffers as they get their bytes.
  std::vector<TraceLevel> levels{};  ///< Ascending by time.
  SimTime end{};
  /// A planning problem has no operators, so nothing takes time: a step is drawn as a microsecond.
  bool steps = false;

  std::size_t memories() const { return groups.size() - 1; }
  /// The slice of an activity.
  const TraceSlice& of(ActivityId id) const { return slices[id.index()]; }
};

/// Of a run that was simulated. O(n log n).
TraceTracks traceTracks(const Run& run);

std::string sliceName(const Run& run, const TraceSlice& slice);
/// What a viewer shows of a slice that is clicked; times in it are exact.
std::vector<TraceNote> sliceNotes(const Run& run, const TraceSlice& slice);

}  // namespace hw
