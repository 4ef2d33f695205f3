#include <sstream>

#include "core/insight/moment.h"
#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/compare/compare_report.h"
#include "core/report/run/run_report.h"
#include "core/report/run/simulation_report.h"

namespace hw {

namespace {

Json momentJson(const Run& run, const Moment& moment) {
  Json json = {{"pool", run.problem.pools[moment.pool].name},
               {"step", moment.step.count()},
               {"live", moment.live.count()},
               {"kept", moment.keptBytes.count()},
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
  json["figures"] =
      jsonRow(pick(figureColumns(),
                   {"peak_l2", "peak_l3", "lower_bound", "gap", "fragmentation_at_peak",
                    "fragmentation", "reuse", "spilled_bytes", "latency_ps", "moved_bytes"}),
              figuresOf(run));
  json["peaks"] = Json::array();
  for (const PoolId pool : run.problem.pools.keys()) {
    const PoolMetrics& metrics = run.metrics.pools[pool];
    if (metrics.stays == 0) continue;
    Json& peak = json["peaks"].emplace_back(
        momentJson(run, momentAt(run.problem, run.plan, pool, metrics.atTop.step)));
    peak["peak_live"] = metrics.peakLive.count();
    peak["peak_step"] = metrics.peakStep.count();
  }
  if (!run.plan.records.empty()) json["records"] = methodRecordsJson(run);
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
