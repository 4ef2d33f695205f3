#include "core/exchange/trace/tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "core/plan_file/activities_writer.h"

namespace hw {
namespace {

/// In a planning problem, where nothing takes time.
constexpr std::int64_t kStepLength = 1'000'000;

/// Gives slices rows in which nothing overlaps, of them the first that is free.
class RowFinder {
 public:
  /// Slices come in the order in which they start.
  std::uint32_t rowFor(const Interval<SimTime>& time) {
    while (!busy_.empty() && busy_.top().first <= time.begin) {
      idle_.push(busy_.top().second);
      busy_.pop();
    }
    std::uint32_t row = rows_;
    if (idle_.empty()) {
      ++rows_;
    } else {
      row = idle_.top();
      idle_.pop();
    }
    busy_.emplace(time.end, row);
    return row;
  }

 private:
  template <class T>
  using LeastFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;

  LeastFirst<std::pair<SimTime, std::uint32_t>> busy_;
  LeastFirst<std::uint32_t> idle_;
  std::uint32_t rows_ = 0;
};

class TrackMaker {
 public:
  explicit TrackMaker(const Run& run) : run_(run) {}

  TraceTracks make() {
    const ActivityList& list = run_.timing.activities;
    for (const Issuer& device : list.devices) tracks_.groups.push_back(device.name);
    tracks_.groups.emplace_back("memories");
    tracks_.steps = run_.timing.ops.empty() && list.activities.empty();
    tracks_.end =
        tracks_.steps ? SimTime(run_.problem.steps.count() * kStepLength) : run_.timing.makespan;
    addActivities();
    addBuffers();
    return std::move(tracks_);
  }

 private:
  /// Puts the slices from `first` on into rows; `place` says where a row belongs: lanes of one key
  /// are of one kind.
  template <class Key, class Place>
  void arrange(std::size_t first, const Place& place) {
    std::vector<std::size_t> order;
    for (std::size_t i = first; i < tracks_.slices.size(); ++i) order.push_back(i);
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return tracks_.slices[i].time.begin; });
    std::map<Key, RowFinder> finders;
    std::map<std::pair<Key, std::uint32_t>, std::vector<std::size_t>> rows;
    for (const std::size_t i : order) {
      const Key key = place(tracks_.slices[i]).first;
      rows[{key, finders[key].rowFor(tracks_.slices[i].time)}].push_back(i);
    }
    for (const auto& [row, members] : rows) {
      TraceLane lane = place(tracks_.slices[members.front()]).second;
      if (row.second > 0 && !lane.pool) lane.name += fmt::format(" #{}", row.second + 1);
      for (const std::size_t i : members) {
        tracks_.slices[i].lane = static_cast<std::uint32_t>(tracks_.lanes.size());
      }
      tracks_.lanes.push_back(std::move(lane));
    }
  }

  void addActivities() {
    const ActivityList& list = run_.timing.activities;
    for (const ActivityId id : list.activities.keys()) {
      const ActivityTime& time = run_.timing.times[id];
      tracks_.slices.push_back({.time = Interval<SimTime>{time.start, time.end}, .activity = id});
    }
    using Key = std::pair<std::uint32_t, std::uint32_t>;
    arrange<Key>(0, [&](const TraceSlice& slice) {
      const Activity& activity = list.activities[slice.activity];
      const bool none = activity.engine == Activity::kNoEngine;
      return std::pair(Key(activity.device, activity.engine),
                       TraceLane{.name = none ? "moves" : list.engines[activity.engine].name,
                                 .group = activity.device});
    });
  }

  /// When event `index` happens. Of steps: releases when the step is over, but for those that make
  /// way for what the step allocates.
  SimTime timeOf(std::size_t index) {
    if (!tracks_.steps) return run_.trace.timeOf(index);
    const std::int64_t step = run_.trace.event(index).step;
    if (index >= groupEnd_) {
      lastAlloc_ = index;
      for (groupEnd_ = index; groupEnd_ < run_.trace.size(); ++groupEnd_) {
        const MemoryEvent& event = run_.trace.event(groupEnd_);
        if (event.step != step) break;
        if (event.kind == EventKind::alloc) lastAlloc_ = groupEnd_ + 1;
      }
    }
    return SimTime((step + (index < lastAlloc_ ? 0 : 1)) * kStepLength);
  }

  void addBuffers() {
    const std::size_t first = tracks_.slices.size();
    IdMap<PoolId, std::vector<Bytes>> starts;
    for (const PoolId pool : run_.plan.regions.keys()) starts.add(run_.plan.regionStarts(pool));
    std::map<std::tuple<std::uint8_t, RegionId, Bytes>, std::size_t> open;
    for (std::size_t i = 0; i < run_.trace.size(); ++i) {
      const MemoryEvent& event = run_.trace.event(i);
      const SimTime time = timeOf(i);
      if (event.kind != EventKind::alloc && event.kind != EventKind::free) continue;
      const Bytes inUse = run_.trace.usage(event.poolId(), i, i + 1).high;
      tracks_.levels.push_back({time, event.poolId(), inUse});
      const auto key = std::tuple(event.pool, event.region, event.offset);
      if (event.kind == EventKind::alloc) {
        open[key] = tracks_.slices.size();
        tracks_.slices.push_back(
            {.time = Interval<SimTime>{time, tracks_.end},
             .stay = event.stay,
             .pool = event.poolId(),
             .offset = starts[event.poolId()][event.region.index()] + event.offset,
             .size = event.size});
      } else if (const auto found = open.find(key); found != open.end()) {
        tracks_.slices[found->second].time.end = time;
        open.erase(found);
      }
    }
    arrange<PoolId>(first, [&](const TraceSlice& slice) {
      return std::pair(slice.pool,
                       TraceLane{.name = run_.problem.pools[slice.pool].name + " buffers",
                                 .group = tracks_.memories(),
                                 .pool = slice.pool});
    });
  }

  const Run& run_;
  TraceTracks tracks_;
  std::size_t groupEnd_ = 0;   ///< Of the step that `timeOf` was asked for last, the end,
  std::size_t lastAlloc_ = 0;  ///< and one past its last allocation.
};

}  // namespace

TraceTracks traceTracks(const Run& run) { return TrackMaker(run).make(); }

std::string sliceName(const Run& run, const TraceSlice& slice) {
  return slice.activity ? activityName(run, slice.activity) : run.stayName(slice.stay);
}

std::vector<TraceNote> sliceNotes(const Run& run, const TraceSlice& slice) {
  if (!slice.activity) {
    const Interval<Step>& steps = run.problem.stays[slice.stay].steps;
    return {{"address", slice.offset.count()},
            {"bytes", slice.size.count()},
            {"first_step", steps.begin.count()},
            {"last_step", steps.end.count() - 1}};
  }
  const Activity& activity = run.timing.activities.activities[slice.activity];
  const ActivityTime& time = run.timing.times[slice.activity];
  std::vector<TraceNote> notes = {
      {"id", static_cast<std::int64_t>(slice.activity.index())},
      {"kind", std::string(kActivityKindNames[static_cast<std::size_t>(activity.kind)])},
      {"step", activity.step.count()},
      {"start_ps", time.start.count()},
      {"end_ps", time.end.count()}};
  if (activity.kind == ActivityKind::compute) {
    notes.emplace_back("type", run.graph().ops[activity.op].type);
  } else {
    notes.emplace_back("bytes", activity.bytes.count());
  }
  if (time.cause) {
    notes.emplace_back("waits_for",
                       std::string(kWaitRuleNames[static_cast<std::size_t>(time.cause->rule)]));
    notes.emplace_back("cause", activityName(run, time.cause->activity));
  }
  return notes;
}

}  // namespace hw
