#include <fmt/format.h>

#include "core/machine/platforms.h"
#include "core/report/run/latency_report.h"
#include "core/report/run/operator_columns.h"
#include "core/report/run/simulation_report.h"
#include "core/run/options.h"

namespace hw {
namespace {

const std::vector<std::string> kFirst = {"step",   "op",   "type",     "start_ps",
                                         "end_ps", "macs", "elements", "compute_ps"};
const std::vector<std::string> kLast = {"latency_ps", "limited_by"};

Json byClass(const std::array<Bytes, kTrafficClasses>& bytes, bool moves) {
  Json json = Json::object();
  for (const TrafficClass kind : kEveryTrafficClass) {
    if (!moves && isOfMoves(kind)) continue;
    json[std::string(trafficClassName(kind))] = bytes[static_cast<std::size_t>(kind)].count();
  }
  return json;
}

/// Nested by pool what is flat in CSV.
Json byPool(const Run& run, const OpTiming& timing, bool times) {
  Json json = Json::object();
  for (const PoolId pool : run.problem.pools.keys()) {
    const std::string& name = run.problem.pools[pool].name;
    if (times && timing.memory.contains(pool)) json[name] = timing.memory[pool].count();
    if (!times && timing.traffic.contains(pool)) json[name] = timing.traffic[pool].total().count();
  }
  return json;
}

Json opsJson(const Run& run) {
  const auto all = operatorColumns(run);
  const auto first = pick(all, kFirst);
  const auto last = pick(all, kLast);
  Json ops = Json::array();
  for (std::size_t step = 0; step < run.timing.ops.size(); ++step) {
    Json op = jsonRow(first, step);
    op["memory_ps"] = byPool(run, run.timing.ops[step], true);
    op["bytes"] = byPool(run, run.timing.ops[step], false);
    op.update(jsonRow(last, step));
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace

Json simulationJson(const Run& run) {
  const Timing& timing = run.timing;
  Json json = {{"model", {{"name", run.model->name}, {"sha256", run.model->sha256}}},
               {"allocator", run.request.allocator.text()},
               {"platform", platformText(run.request.platform)},
               {"weights", findOption("weights")->print(run.request).front()},
               {"status", std::string(statusName(run.plan.status))},
               {"lower_bound", run.metrics.lowerBound.count()}};
  json["pools"] = Json::array();
  const bool moves = !run.problem.moves.empty();
  for (const PoolId pool : run.problem.pools.keys()) {
    const auto& capacity = run.problem.pools[pool].capacity;
    Json entry = {{"name", run.problem.pools[pool].name},
                  {"capacity", capacity ? Json(capacity->count()) : Json(nullptr)},
                  {"peak", run.plan.footprint(pool).count()}};
    if (timing.traffic.contains(pool)) {
      entry["read"] = byClass(timing.traffic[pool].read, moves);
      entry["written"] = byClass(timing.traffic[pool].written, moves);
    }
    json["pools"].push_back(entry);
  }
  json["makespan_ps"] = timing.ops.empty() ? Json(nullptr) : Json(timing.makespan.count());
  json["macs"] = timing.macs;
  json["compulsory_bytes"] = timing.compulsory.count();
  json["energy_pj"] = timing.energyPicojoules;
  json["digest"] = fmt::format("{:016x}", timing.digest);
  json["ops"] = opsJson(run);
  if (!timing.activities.activities.empty()) json.update(latencyJson(run));
  json["notes"] = Json::array();
  for (const auto* notes : {&run.graph().notes, &run.notes, &run.plan.notes, &timing.notes}) {
    for (const std::string& note : *notes) json["notes"].push_back(note);
  }
  return json;
}

std::string simulationCsv(const Run& run) {
  std::vector<std::string> keys = kFirst;
  for (const ProblemPool& pool : run.problem.pools) {
    keys.insert(keys.end(), {pool.name + "_ps", pool.name + "_bytes"});
  }
  keys.insert(keys.end(), kLast.begin(), kLast.end());
  const auto columns = pick(operatorColumns(run), keys);
  std::string text = csvHeader(columns);
  for (std::size_t step = 0; step < run.timing.ops.size(); ++step) text += csvRow(columns, step);
  return text;
}

}  // namespace hw
