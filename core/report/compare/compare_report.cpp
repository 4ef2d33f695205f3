#include "core/report/compare/compare_report.h"

namespace hw {
namespace {

Columns<ComparisonRow> jsonColumns() {
  return pick(comparisonColumns(), {"allocator",
                                    "status",
                                    "peak_l2",
                                    "peak_l3",
                                    "gap",
                                    "fragmentation",
                                    "plan_seconds",
                                    "best",
                                    "fragmentation_at_peak",
                                    "reuse",
                                    "spilled_bytes",
                                    "latency_ps",
                                    "moved_bytes",
                                    "latency_bound_ps",
                                    "reuse_waits_ps",
                                    "reuse_bound_ps",
                                    "reuse_simulated_ps",
                                    "energy_pj",
                                    "lower_bound",
                                    "inputs_outside",
                                    "options",
                                    "reason",
                                    "platform"});
}

Columns<ComparisonRow> csvColumns(const std::string& file, bool platforms) {
  auto columns = pick(comparisonColumns(), {"platform",
                                            "allocator",
                                            "status",
                                            "best",
                                            "peak_l2",
                                            "peak_l3",
                                            "lower_bound",
                                            "inputs_outside",
                                            "gap",
                                            "fragmentation_at_peak",
                                            "fragmentation",
                                            "reuse",
                                            "spilled_bytes",
                                            "latency_ps",
                                            "moved_bytes",
                                            "latency_bound_ps",
                                            "reuse_waits_ps",
                                            "reuse_bound_ps",
                                            "reuse_simulated_ps",
                                            "energy_pj",
                                            "plan_seconds",
                                            "options",
                                            "reason"});
  columns.insert(columns.begin() + 1,
                 {.key = "model", .value = [file](const auto&) { return file; }});
  if (!platforms) columns.erase(columns.begin());
  return columns;
}

}  // namespace

Json comparisonJson(const Comparison& comparison, const std::string& file) {
  const Model& model = *comparison.model;
  Json json = {{"model", {{"name", model.name}, {"sha256", model.sha256}, {"file", file}}},
               {"lower_bound", comparison.lowerBound.count()},
               {"by", kRankingNames[static_cast<std::size_t>(comparison.by)]}};
  json["rows"] = Json::array();
  const auto columns = jsonColumns();
  const bool platforms = comparison.severalPlatforms();
  for (const ComparisonRow& row : comparison.rows) {
    Json& object = json["rows"].emplace_back(jsonRow(columns, row));
    dropNulls(object, {"options", "reason"});
    if (!platforms) object.erase("platform");
  }
  return json;
}

Json unopenedJson(const std::string& file, const std::string& reason) {
  Json json = {{"model", {{"name", nullptr}, {"sha256", nullptr}, {"file", file}}},
               {"lower_bound", nullptr}};
  json["rows"] = Json::array();
  json["reason"] = reason;
  return json;
}

std::string comparisonCsvHeader(bool platforms) { return csvHeader(csvColumns({}, platforms)); }

std::string comparisonCsv(const Comparison& comparison, const std::string& file) {
  std::string text;
  const auto columns = csvColumns(file, comparison.severalPlatforms());
  for (const ComparisonRow& row : comparison.rows) text += csvRow(columns, row);
  return text;
}

std::string unopenedCsv(const std::string& file, const std::string& reason) {
  std::vector<std::string> fields;
  for (const auto& [key, title, kind, value, meaning] : csvColumns(file, false)) {
    fields.push_back(key == "model"    ? file
                     : key == "status" ? "failed"
                     : key == "reason" ? reason
                                       : "");
  }
  return csvLine(fields);
}

}  // namespace hw
