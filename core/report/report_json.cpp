#include <sstream>

#include "core/plan/moment.h"
#include "core/report/compare_report.h"
#include "core/report/plan_writer.h"
#include "core/report/run_report.h"
#include "core/report/simulation_report.h"

namespace hw {

namespace {

template <class Value>
Json orNull(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_same_v<Value, double>) {
    return *value;
  } else {
    return value->count();
  }
}

Json figuresJson(const RunFigures& figures) {
  return {{"peak_l2", figures.peakL2.count()},
          {"peak_l3", figures.peakL3.count()},
          {"lower_bound", figures.lowerBound.count()},
          {"gap", orNull(figures.gap)},
          {"fragmentation_at_peak", orNull(figures.fragmentationAtPeak)},
          {"fragmentation", orNull(figures.fragmentation)},
          {"reuse", orNull(figures.reuse)},
          {"spilled_bytes", orNull(figures.spilled)},
          {"latency_ps", orNull(figures.latency)},
          {"moved_bytes", orNull(figures.moved)}};
}

Json momentJson(const Run& run, const Moment& moment) {
  Json json = {{"pool", run.problem.pools[moment.pool].name},
               {"step", moment.step.count()},
               {"live", moment.live.count()},
               {"holes", moment.holeBytes.count()},
               {"above", moment.above.count()},
               {"footprint", moment.footprint.count()}};
  json["buffers"] = Json::array();
  for (const Moment::Tenant& tenant : moment.tenants) {
    json["buffers"].push_back({{"buffer", run.stayName(tenant.stay)},
                               {"offset", tenant.bytes.begin.count()},
                               {"size", tenant.bytes.length().count()},
                               {"first", tenant.steps.begin.count()},
                               {"last", tenant.steps.end.count() - 1}});
  }
  return json;
}

/// Without what this machine's clock says: equal runs make equal reports.
Json comparisonWithoutTimes(const Comparison& comparison) {
  Json json = comparisonJson(comparison, comparison.model->name);
  for (Json& row : json["rows"]) row.erase("plan_seconds");
  return json;
}

}  // namespace

Json reportJson(const Run& run, const Comparison* comparison, const std::string& command) {
  Json json = {{"format", "highwater-report"}, {"version", 1}, {"command", command}};
  const Json simulation = simulationJson(run);
  for (const auto& [key, value] : simulation.items()) json[key] = value;
  json["figures"] = figuresJson(figuresOf(run));
  json["peaks"] = Json::array();
  for (const PoolId pool : run.problem.pools.keys()) {
    const auto step = peakStep(run.problem, run.plan, pool);
    if (step)
      json["peaks"].push_back(momentJson(run, momentAt(run.problem, run.plan, pool, *step)));
  }
  if (comparison) json["comparison"] = comparisonWithoutTimes(*comparison);
  return json;
}

std::string reportCsv(const Run& run) {
  if (!run.timing.ops.empty()) return simulationCsv(run);
  std::ostringstream out;
  writePlanCsv(run, out);
  return std::move(out).str();
}

}  // namespace hw
