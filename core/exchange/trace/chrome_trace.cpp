#include <fmt/format.h>

#include "core/base/json.h"
#include "core/exchange/trace/trace_writer.h"
#include "core/exchange/trace/tracks.h"

namespace hw {
namespace {

/// In microseconds, which is what the format counts in, with every picosecond.
std::string microseconds(SimTime time) {
  const std::int64_t count = time.count();
  return fmt::format("{}.{:06}", count / 1'000'000, count % 1'000'000);
}

class ChromeTrace {
 public:
  ChromeTrace(const Run& run, std::ostream& out)
      : run_(run), tracks_(traceTracks(run)), out_(out) {}

  void write() {
    const Json other = {
        {"program", std::string("highwater ") + HIGHWATER_VERSION},
        {"model", run_.model->name},
        {"clock", tracks_.steps ? "steps, drawn as microseconds" : "simulated time"}};
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":" << jsonLine(other) << ",\"traceEvents\":[";
    writeNames();
    for (std::size_t i = 0; i < tracks_.slices.size(); ++i) {
      if (tracks_.slices[i].activity) {
        writeActivity(tracks_.slices[i]);
      } else {
        writeBuffer(tracks_.slices[i], i);
      }
    }
    for (const TraceLevel& level : tracks_.levels) {
      event(fmt::format(R"("ph":"C","pid":{},"tid":0,"ts":{},"name":{},"args":{{"bytes":{}}})",
                        tracks_.memories() + 1, microseconds(level.time),
                        jsonLine(Json(run_.problem.pools[level.pool].name + " in use")),
                        level.inUse.count()));
    }
    out_ << "\n]}\n";
  }

 private:
  void event(const std::string& fields) {
    out_ << (first_ ? "\n{" : ",\n{") << fields << '}';
    first_ = false;
  }

  void name(std::string_view what, std::size_t group, std::size_t thread, const Json& args) {
    event(fmt::format(R"("ph":"M","name":"{}","pid":{},"tid":{},"args":{})", what, group + 1,
                      thread, jsonLine(args)));
  }

  void writeNames() {
    for (std::size_t i = 0; i < tracks_.groups.size(); ++i) {
      name("process_name", i, 0, {{"name", tracks_.groups[i]}});
      name("process_sort_index", i, 0, {{"sort_index", i}});
    }
    for (std::size_t i = 0; i < tracks_.lanes.size(); ++i) {
      const TraceLane& lane = tracks_.lanes[i];
      if (lane.pool) continue;  // Buffers have rows of their own making there.
      name("thread_name", lane.group, i + 1, {{"name", lane.name}});
      name("thread_sort_index", lane.group, i + 1, {{"sort_index", i}});
    }
  }

  std::string notes(const TraceSlice& slice) const {
    Json json = Json::object();
    for (const TraceNote& note : sliceNotes(run_, slice)) {
      std::visit([&](const auto& value) { json[std::string(note.first)] = value; }, note.second);
    }
    return jsonLine(json);
  }

  /// "pid", "tid" and "ts" of something at `time` on the lane of `slice`.
  std::string place(const TraceSlice& slice, SimTime time) const {
    return fmt::format(R"("pid":{},"tid":{},"ts":{})", tracks_.lanes[slice.lane].group + 1,
                       slice.lane + 1, microseconds(time));
  }

  /// Begin and end, and not a begin with a duration: viewers count in floating point, in which a
  /// sum may lie past the begin of what follows at once, and that would be drawn inside. What has
  /// no length says its notes twice, by which viewers tell that its end is not another one's.
  void writeActivity(const TraceSlice& slice) {
    const ActivityId id = slice.activity;
    const ActivityKind kind = run_.timing.activities.activities[id].kind;
    const std::string name = jsonLine(Json(sliceName(run_, slice)));
    const std::string args = ",\"args\":" + notes(slice);
    const auto half = [&](char phase, SimTime time, const std::string& more) {
      event(fmt::format(R"("ph":"{}",{},"name":{},"cat":"{}"{})", phase, place(slice, time), name,
                        kActivityKindNames[static_cast<std::size_t>(kind)], more));
    };
    half('B', slice.time.begin, args);
    half('E', slice.time.end, slice.time.length() == SimTime() ? args : "");
    const auto& cause = run_.timing.times[id].cause;
    if (!cause) return;
    const TraceSlice& from = tracks_.of(cause->activity);
    const auto rule = kWaitRuleNames[static_cast<std::size_t>(cause->rule)];
    event(fmt::format(R"("ph":"s",{},"id":{},"name":"{}","cat":"wait")",
                      place(from, from.time.begin), id.index() + 1, rule));
    event(fmt::format(R"("ph":"f","bp":"e",{},"id":{},"name":"{}","cat":"wait")",
                      place(slice, slice.time.begin), id.index() + 1, rule));
  }

  /// Asynchronous, for buffers overlap in time: a viewer gives each a row where there is room.
  void writeBuffer(const TraceSlice& slice, std::size_t id) {
    const std::string pool = jsonLine(Json(run_.problem.pools[slice.pool].name));
    const std::string name = jsonLine(Json(sliceName(run_, slice)));
    const auto half = [&](char phase, SimTime time, const std::string& args) {
      event(fmt::format(R"("ph":"{}","pid":{},"tid":0,"ts":{},"id":"{}","name":{},"cat":{}{})",
                        phase, tracks_.memories() + 1, microseconds(time), id, name, pool, args));
    };
    half('b', slice.time.begin, ",\"args\":" + notes(slice));
    half('e', slice.time.end, "");
  }

  const Run& run_;
  TraceTracks tracks_;
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

void writeChromeTrace(const Run& run, std::ostream& out) { ChromeTrace(run, out).write(); }

}  // namespace hw
