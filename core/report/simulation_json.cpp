#include <fmt/format.h>

#include "core/base/csv.h"
#include "core/report/simulation_report.h"

namespace hw {
namespace {

constexpr std::array kClasses = {TrafficClass::input, TrafficClass::output,
                                 TrafficClass::intermediate, TrafficClass::weight};

Json byClass(const std::array<Bytes, kTrafficClasses>& bytes) {
  Json json = Json::object();
  for (const TrafficClass kind : kClasses) {
    json[std::string(trafficClassName(kind))] = bytes[static_cast<std::size_t>(kind)].count();
  }
  return json;
}

Json opJson(const Run& run, std::size_t step) {
  const OpTiming& timing = run.timing.ops[step];
  const OpId op = run.schedule.opAt(Step(static_cast<std::int64_t>(step)));
  Json json = {{"step", step},
               {"op", displayName(run.graph(), op)},
               {"type", run.graph().ops[op].type},
               {"start_ps", timing.time.begin.count()},
               {"end_ps", timing.time.end.count()},
               {"macs", timing.macs},
               {"elements", timing.elements},
               {"compute_ps", timing.compute.count()}};
  json["memory_ps"] = Json::object();
  json["bytes"] = Json::object();
  for (const PoolId pool : run.problem.pools.keys()) {
    const std::string& name = run.problem.pools[pool].name;
    if (timing.memory.contains(pool)) json["memory_ps"][name] = timing.memory[pool].count();
    if (timing.traffic.contains(pool)) json["bytes"][name] = timing.traffic[pool].total().count();
  }
  json["latency_ps"] = timing.latency.count();
  json["limited_by"] = std::string(bottleneckName(timing.bottleneck));
  return json;
}

}  // namespace

Json simulationJson(const Run& run) {
  const Timing& timing = run.timing;
  Json json = {{"model", {{"name", run.model->name}, {"sha256", run.model->sha256}}},
               {"allocator", run.config.allocator.text()},
               {"platform", run.config.platform.name},
               {"weights", run.config.streamWeights ? "stream" : "resident"},
               {"status", std::string(statusName(run.plan.status))},
               {"lower_bound", run.metrics.lowerBound.count()}};
  json["pools"] = Json::array();
  for (const PoolId pool : run.problem.pools.keys()) {
    const auto& capacity = run.problem.pools[pool].capacity;
    Json entry = {{"name", run.problem.pools[pool].name},
                  {"capacity", capacity ? Json(capacity->count()) : Json(nullptr)},
                  {"peak", run.plan.footprint(pool).count()}};
    if (timing.traffic.contains(pool)) {
      entry["read"] = byClass(timing.traffic[pool].read);
      entry["written"] = byClass(timing.traffic[pool].written);
    }
    json["pools"].push_back(entry);
  }
  json["makespan_ps"] = timing.makespan.count();
  json["macs"] = timing.macs;
  json["compulsory_bytes"] = timing.compulsory.count();
  json["energy_pj"] = timing.energyPicojoules;
  json["digest"] = fmt::format("{:016x}", timing.digest);
  json["ops"] = Json::array();
  for (std::size_t step = 0; step < timing.ops.size(); ++step) {
    json["ops"].push_back(opJson(run, step));
  }
  json["notes"] = Json::array();
  for (const auto* notes : {&run.graph().notes, &run.notes, &run.plan.notes, &timing.notes}) {
    for (const std::string& note : *notes) json["notes"].push_back(note);
  }
  return json;
}

std::string simulationCsv(const Run& run) {
  std::string text = "step,op,type,start_ps,end_ps,macs,elements,compute_ps";
  for (const ProblemPool& pool : run.problem.pools) {
    text += fmt::format(",{0}_ps,{0}_bytes", pool.name);
  }
  text += ",latency_ps,limited_by\n";
  for (std::size_t step = 0; step < run.timing.ops.size(); ++step) {
    const OpTiming& timing = run.timing.ops[step];
    const OpId op = run.schedule.opAt(Step(static_cast<std::int64_t>(step)));
    text +=
        fmt::format("{},{},{},{},{},{},{},{}", step, csvField(displayName(run.graph(), op)),
                    csvField(run.graph().ops[op].type), timing.time.begin.count(),
                    timing.time.end.count(), timing.macs, timing.elements, timing.compute.count());
    for (const PoolId pool : run.problem.pools.keys()) {
      const auto memory = timing.memory.contains(pool) ? timing.memory[pool] : SimTime();
      const auto bytes = timing.traffic.contains(pool) ? timing.traffic[pool].total() : Bytes();
      text += fmt::format(",{},{}", memory.count(), bytes.count());
    }
    text += fmt::format(",{},{}\n", timing.latency.count(), bottleneckName(timing.bottleneck));
  }
  return text;
}

}  // namespace hw
