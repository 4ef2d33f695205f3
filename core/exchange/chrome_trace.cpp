#include "core/exchange/chrome_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "core/base/json.h"
#include "core/plan_file/activities_writer.h"

namespace hw {
namespace {

/// A step of a planning problem, where nothing takes time.
constexpr std::int64_t kStepLength = 1'000'000;

/// In microseconds, which is what the format counts in, with every picosecond.
std::string microseconds(SimTime time) {
  const std::int64_t count = time.count();
  return fmt::format("{}.{:06}", count / 1'000'000, count % 1'000'000);
}

/// Gives slices rows in which nothing overlaps, of them the first that is free: viewers ask that
/// slices of one row nest.
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

/// A row of activities: an engine of a device, or one more of them.
struct TraceLane {
  std::string name{};
  std::size_t device = 0;
};

struct TraceLanes {
  std::vector<TraceLane> lanes{};
  IdMap<ActivityId, std::size_t> laneOf{};
};

TraceLanes lanesOf(const Run& run) {
  const ActivityList& list = run.timing.activities;
  std::vector<ActivityId> order = list.activities.keys().toVector();
  std::ranges::stable_sort(order, {}, [&](ActivityId id) { return run.timing.times[id].start; });
  using Engine = std::pair<std::uint32_t, std::uint32_t>;
  std::map<Engine, RowFinder> finders;
  std::map<std::pair<Engine, std::uint32_t>, std::vector<ActivityId>> rows;
  for (const ActivityId id : order) {
    const Engine key{list.activities[id].device, list.activities[id].engine};
    const ActivityTime& time = run.timing.times[id];
    rows[{key, finders[key].rowFor({time.start, time.end})}].push_back(id);
  }
  TraceLanes lanes{.laneOf = IdMap<ActivityId, std::size_t>(list.activities.size())};
  for (const auto& [row, members] : rows) {
    const auto [device, engine] = row.first;
    std::string name = engine == Activity::kNoEngine ? "moves" : list.engines[engine].name;
    if (row.second > 0) name += fmt::format(" #{}", row.second + 1);
    for (const ActivityId id : members) lanes.laneOf[id] = lanes.lanes.size();
    lanes.lanes.push_back({std::move(name), device});
  }
  return lanes;
}

/// A buffer while it has its bytes.
struct BufferSlice {
  Interval<SimTime> time{};
  StayId stay{};
  PoolId pool{};
  Bytes offset{};  ///< From the start of its pool.
  Bytes size{};
};

/// From `time` on, so many bytes of a pool are in use.
struct PoolLevel {
  SimTime time{};
  PoolId pool{};
  Bytes inUse{};
};

/// Reads buffers and levels off the events of a run.
class MemoryTracks {
 public:
  /// `steps`: the run has no times.
  MemoryTracks(const Run& run, bool steps) : run_(run), steps_(steps) {
    const SimTime end =
        steps ? SimTime(run.problem.steps.count() * kStepLength) : run.timing.makespan;
    IdMap<PoolId, std::vector<Bytes>> starts;
    for (const PoolId pool : run.plan.regions.keys()) starts.add(run.plan.regionStarts(pool));
    std::map<std::tuple<std::uint8_t, RegionId, Bytes>, std::size_t> open;
    for (std::size_t i = 0; i < run.trace.size(); ++i) {
      const MemoryEvent& event = run.trace.event(i);
      const SimTime time = timeOf(i);
      if (event.kind != EventKind::alloc && event.kind != EventKind::free) continue;
      levels.push_back({time, event.poolId(), run.trace.usage(event.poolId(), i, i + 1).high});
      const auto key = std::tuple(event.pool, event.region, event.offset);
      if (event.kind == EventKind::alloc) {
        open[key] = buffers.size();
        buffers.push_back({{time, end},
                           event.stay,
                           event.poolId(),
                           starts[event.poolId()][event.region.index()] + event.offset,
                           event.size});
      } else if (const auto found = open.find(key); found != open.end()) {
        buffers[found->second].time.end = time;
        open.erase(found);
      }
    }
  }

  std::vector<BufferSlice> buffers{};  ///< As they get their bytes.
  std::vector<PoolLevel> levels{};     ///< Ascending by time.

 private:
  /// When event `index` happens. Of steps: releases when the step is over, but for those that make
  /// way for what the step allocates.
  SimTime timeOf(std::size_t index) {
    if (!steps_) return run_.trace.timeOf(index);
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

  const Run& run_;
  bool steps_;
  std::size_t groupEnd_ = 0;   ///< Of the step that `timeOf` was asked for last, the end,
  std::size_t lastAlloc_ = 0;  ///< and one past its last allocation.
};

class ChromeTrace {
 public:
  ChromeTrace(const Run& run, std::ostream& out)
      : run_(run),
        list_(run.timing.activities),
        steps_(run.timing.ops.empty() && list_.activities.empty()),
        lanes_(lanesOf(run)),
        out_(out) {}

  void write() {
    const Json other = {{"program", std::string("highwater ") + HIGHWATER_VERSION},
                        {"model", run_.model->name},
                        {"clock", steps_ ? "steps, drawn as microseconds" : "simulated time"}};
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":" << jsonLine(other) << ",\"traceEvents\":[";
    writeNames();
    for (const ActivityId id : list_.activities.keys()) writeActivity(id);
    const MemoryTracks memory(run_, steps_);
    for (std::size_t i = 0; i < memory.buffers.size(); ++i) {
      writeBuffer(memory.buffers[i], list_.activities.size() + i);
    }
    for (const PoolLevel& level : memory.levels) {
      event(fmt::format(R"("ph":"C","pid":{},"tid":0,"ts":{},"name":{},"args":{{"bytes":{}}})",
                        memoriesId(), microseconds(level.time),
                        jsonLine(Json(run_.problem.pools[level.pool].name + " in use")),
                        level.inUse.count()));
    }
    out_ << "\n]}\n";
  }

 private:
  /// The devices are processes from 1 on, and the memories are one behind them.
  std::size_t memoriesId() const { return list_.devices.size() + 1; }

  void event(const std::string& fields) {
    out_ << (first_ ? "\n{" : ",\n{") << fields << '}';
    first_ = false;
  }

  void name(std::string_view what, std::size_t process, std::size_t thread, const Json& args) {
    event(fmt::format(R"("ph":"M","name":"{}","pid":{},"tid":{},"args":{})", what, process, thread,
                      jsonLine(args)));
  }

  void writeNames() {
    for (std::size_t i = 0; i < memoriesId(); ++i) {
      const bool device = i < list_.devices.size();
      name("process_name", i + 1, 0, {{"name", device ? list_.devices[i].name : "memories"}});
      name("process_sort_index", i + 1, 0, {{"sort_index", i}});
    }
    for (std::size_t i = 0; i < lanes_.lanes.size(); ++i) {
      const TraceLane& lane = lanes_.lanes[i];
      name("thread_name", lane.device + 1, i + 1, {{"name", lane.name}});
      name("thread_sort_index", lane.device + 1, i + 1, {{"sort_index", i}});
    }
  }

  /// The notes that a viewer shows of an activity that is clicked; times in them are exact.
  std::string notes(ActivityId id) const {
    const Activity& activity = list_.activities[id];
    const ActivityTime& time = run_.timing.times[id];
    Json notes = {{"id", id.index()},
                  {"kind", kActivityKindNames[static_cast<std::size_t>(activity.kind)]},
                  {"step", activity.step.count()},
                  {"start_ps", time.start.count()},
                  {"end_ps", time.end.count()}};
    if (activity.kind == ActivityKind::compute) {
      notes["type"] = run_.graph().ops[activity.op].type;
    } else {
      notes["bytes"] = activity.bytes.count();
    }
    if (time.cause) {
      notes["waits_for"] = kWaitRuleNames[static_cast<std::size_t>(time.cause->rule)];
      notes["cause"] = activityName(run_, time.cause->activity);
    }
    return ",\"args\":" + jsonLine(notes);
  }

  /// "pid", "tid" and "ts" of something at `time` on the lane of an activity.
  std::string place(ActivityId id, SimTime time) const {
    const std::size_t lane = lanes_.laneOf[id];
    return fmt::format(R"("pid":{},"tid":{},"ts":{})", lanes_.lanes[lane].device + 1, lane + 1,
                       microseconds(time));
  }

  /// Begin and end, and not a begin with a duration: viewers count in floating point, in which a
  /// sum may lie past the begin of what follows at once, and that would be drawn inside. What has
  /// no length says its notes twice, by which viewers tell that its end is not another one's.
  void writeActivity(ActivityId id) {
    const ActivityTime& time = run_.timing.times[id];
    const auto kind = static_cast<std::size_t>(list_.activities[id].kind);
    const std::string name = jsonLine(Json(activityName(run_, id)));
    const std::string args = notes(id);
    const auto half = [&](char phase, SimTime at, const std::string& more) {
      event(fmt::format(R"("ph":"{}",{},"name":{},"cat":"{}"{})", phase, place(id, at), name,
                        kActivityKindNames[kind], more));
    };
    half('B', time.start, args);
    half('E', time.end, time.start == time.end ? args : "");
    if (!time.cause) return;
    const auto rule = kWaitRuleNames[static_cast<std::size_t>(time.cause->rule)];
    const ActivityId from = time.cause->activity;
    event(fmt::format(R"("ph":"s",{},"id":{},"name":"{}","cat":"wait")",
                      place(from, run_.timing.times[from].start), id.index() + 1, rule));
    event(fmt::format(R"("ph":"f","bp":"e",{},"id":{},"name":"{}","cat":"wait")",
                      place(id, time.start), id.index() + 1, rule));
  }

  /// Asynchronous, for buffers overlap in time: a viewer gives each a row where there is room.
  void writeBuffer(const BufferSlice& buffer, std::size_t id) {
    const std::string pool = jsonLine(Json(run_.problem.pools[buffer.pool].name));
    const std::string name = jsonLine(Json(run_.stayName(buffer.stay)));
    const Interval<Step>& steps = run_.problem.stays[buffer.stay].steps;
    const Json notes = {{"address", buffer.offset.count()},
                        {"bytes", buffer.size.count()},
                        {"first_step", steps.begin.count()},
                        {"last_step", steps.end.count() - 1}};
    const auto half = [&](char phase, SimTime time, const std::string& args) {
      event(fmt::format(R"("ph":"{}","pid":{},"tid":0,"ts":{},"id":"{}","name":{},"cat":{}{})",
                        phase, memoriesId(), microseconds(time), id, name, pool, args));
    };
    half('b', buffer.time.begin, ",\"args\":" + jsonLine(notes));
    half('e', buffer.time.end, "");
  }

  const Run& run_;
  const ActivityList& list_;
  bool steps_;  ///< A planning problem has no operators, so nothing takes time.
  TraceLanes lanes_;
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

void writeChromeTrace(const Run& run, std::ostream& out) { ChromeTrace(run, out).write(); }

}  // namespace hw
