#include "core/plan_file/activities_writer.h"

#include <functional>

namespace hw {
namespace {

Json orNull(bool there, Json value) { return there ? std::move(value) : Json(nullptr); }

Json machineJson(const ActivityList& list) {
  Json json = {{"contention", kContentionNames[static_cast<std::size_t>(list.contention)]}};
  json["ports"] = jsonList(list.ports, [&](const Port& port) -> Json {
    return {{"name", port.name}, {"read", port.read}, {"write", port.write}};
  });
  json["devices"] = jsonList(list.devices, [&](const Issuer& device) -> Json {
    return {{"name", device.name}, {"issue", kIssueNames[static_cast<std::size_t>(device.issue)]}};
  });
  json["engines"] = jsonList(list.engines, [&](const Engine& engine) -> Json {
    return {{"name", engine.name},
            {"kind", engine.dma ? "dma" : "unit"},
            {"channels", engine.channels},
            {"bandwidth", engine.bandwidth}};
  });
  return json;
}

Json stayJson(const Run& run, StayId id) {
  const PlacedStay& stay = run.timing.activities.stays[id];
  return {{"id", id.index()},
          {"pool", run.problem.pools[stay.pool].name},
          {"from", stay.bytes.begin.count()},
          {"to", stay.bytes.end.count()},
          {"over", orNull(bool(stay.over), stay.over.index())},
          {"outlives", stay.outlives}};
}

Json portsJson(const ActivityList& list, const Activity& activity) {
  return jsonList(activity.ports, [&](const PortUse& use) -> Json {
    return {{"port", list.ports[use.port].name},
            {"read", use.read.count()},
            {"write", use.written.count()}};
  });
}

Json accessesJson(const Activity& activity) {
  return jsonList(activity.accesses, [&](const Access& access) -> Json {
    return {{"stay", access.stay.index()},
            {"from", access.bytes.begin.count()},
            {"to", access.bytes.end.count()},
            {"write", access.write},
            {"life", access.life}};
  });
}

Json activityJson(const Run& run, ActivityId id) {
  const ActivityList& list = run.timing.activities;
  const Activity& activity = list.activities[id];
  const ActivityTime& time = run.timing.times[id];
  const bool engine = activity.engine != Activity::kNoEngine;
  Json after = jsonList(activity.after, [&](ActivityId maker) { return maker.index(); });
  Json json = {{"id", id.index()},
               {"kind", kActivityKindNames[static_cast<std::size_t>(activity.kind)]},
               {"name", activityName(run, id)},
               {"step", activity.step.count()},
               {"device", list.devices[activity.device].name},
               {"engine", engine ? Json(list.engines[activity.engine].name) : Json(nullptr)},
               {"fixed_ps", activity.fixed.count()},
               {"compute_ps", activity.compute.count()},
               {"bytes", activity.bytes.count()},
               {"ports", portsJson(list, activity)},
               {"accesses", accessesJson(activity)},
               {"after", after},
               {"start_ps", time.start.count()},
               {"end_ps", time.end.count()},
               {"flow_ps", time.flow.count()}};
  json["cause"] = nullptr;
  if (time.cause) {
    json["cause"] = {{"rule", kWaitRuleNames[static_cast<std::size_t>(time.cause->rule)]},
                     {"activity", time.cause->activity.index()}};
  }
  return json;
}

/// `count` rows of an array that may be long, one a line.
void writeArray(std::ostream& out, std::size_t count, const std::function<Json(std::size_t)>& row) {
  out << '[';
  for (std::size_t i = 0; i < count; ++i) {
    out << (i == 0 ? "\n    " : ",\n    ") << jsonLine(row(i));
  }
  out << (count == 0 ? "]" : "\n  ]");
}

void writeDocument(const Run& run, std::ostream& out) {
  const ActivityList& list = run.timing.activities;
  const Json machine = machineJson(list);
  out << "{";
  for (const auto& [key, value] : machine.items()) {
    out << "\n  " << jsonLine(Json(key)) << ": " << jsonLine(value) << ',';
  }
  std::vector<StayId> placed;
  for (const StayId id : list.stays.keys()) {
    if (list.stays[id].pool) placed.push_back(id);
  }
  out << "\n  \"stays\": ";
  writeArray(out, placed.size(), [&](std::size_t i) { return stayJson(run, placed[i]); });
  out << ",\n  \"activities\": ";
  writeArray(out, list.activities.size(),
             [&](std::size_t i) { return activityJson(run, ActivityId(i)); });
  out << ",\n  \"makespan_ps\": " << run.timing.makespan.count() << "\n}\n";
}

}  // namespace

std::string activityName(const Run& run, ActivityId id) {
  const Activity& activity = run.timing.activities.activities[id];
  if (activity.kind == ActivityKind::compute) return displayName(run.graph(), activity.op);
  return displayName(run.graph(), run.storage.rootOf(activity.buffer));
}

Columns<ActivityId> activityColumns(const Run& run) {
  using enum ColumnKind;
  using A = ActivityId;
  const ActivityList& list = run.timing.activities;
  const auto& times = run.timing.times;
  const auto what = [&list](A id) -> const Activity& { return list.activities[id]; };
  const auto rule = [&times](A id) -> Value {
    const auto& cause = times[id].cause;
    return cause ? Value(kWaitRuleNames[static_cast<std::size_t>(cause->rule)]) : Value();
  };
  return {{"id", "#", count, [](A id) { return id.index(); }, "In program order"},
          {"kind", "kind", text,
           [what](A id) { return kActivityKindNames[static_cast<std::size_t>(what(id).kind)]; }},
          {"name", "name", text, [&run](A id) { return activityName(run, id); },
           "The op, or the buffer that moves"},
          {"step", "step", step, [what](A id) { return what(id).step; }},
          {"device", "device", text,
           [what, &list](A id) { return list.devices[what(id).device].name; }},
          {"engine", "engine", text,
           [what, &list](A id) -> Value {
             const std::uint32_t engine = what(id).engine;
             return engine == Activity::kNoEngine ? Value() : Value(list.engines[engine].name);
           },
           "Empty: the memories alone"},
          {"start_ps", "start", time, [&times](A id) { return times[id].start; }},
          {"end_ps", "end", time, [&times](A id) { return times[id].end; }},
          {"fixed_ps", "fixed part", time, [what](A id) { return what(id).fixed; },
           "First accesses and set-up"},
          {"flow_ps", "flow", time, [&times](A id) { return times[id].flow; },
           "What it takes behind that when nobody is in its way"},
          {"slowed_ps", "slowed", time,
           [what, &times](A id) {
             return times[id].end - times[id].start - what(id).fixed - times[id].flow;
           },
           "What sharing ports cost it"},
          {"bytes", "bytes", bytes, [what](A id) { return what(id).bytes; }, "That a move carries"},
          {"rule", "waits for", text, rule, "Why it did not start sooner"},
          {"cause", "of", text,
           [&run, &times](A id) -> Value {
             const auto& cause = times[id].cause;
             return cause ? Value(activityName(run, cause->activity)) : Value();
           },
           "The activity that it waited for last"},
          {"cause_id", "cause #", count, [&times](A id) -> Value {
             const auto& cause = times[id].cause;
             return cause ? Value(cause->activity.index()) : Value();
           }}};
}

void writeActivities(const Run& run, ActivitiesFormat format, std::ostream& out) {
  if (format == ActivitiesFormat::json) return writeDocument(run, out);
  const Columns<ActivityId> columns = activityColumns(run);
  if (format == ActivitiesFormat::csv) out << csvHeader(columns);
  for (const ActivityId id : run.timing.activities.activities.keys()) {
    if (format == ActivitiesFormat::csv)
      out << csvRow(columns, id);
    else
      out << jsonLine(jsonRow(columns, id)) << '\n';
  }
}

}  // namespace hw
