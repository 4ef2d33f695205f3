#include "core/report/compare_report.h"

#include <fmt/format.h>

#include <array>

#include "core/base/csv.h"
#include "core/report/plan_text.h"

namespace hw {
namespace {

constexpr std::array kCsvColumns = {"allocator",      "status",      "best",
                                    "peak_l2",        "peak_l3",     "lower_bound",
                                    "inputs_outside", "gap",         "fragmentation_at_peak",
                                    "fragmentation",  "reuse",       "spilled_bytes",
                                    "latency_ps",     "moved_bytes", "plan_seconds",
                                    "reason"};

template <class Value>
Json orNull(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if constexpr (std::is_arithmetic_v<Value>) {
    return *value;
  } else {
    return value->count();
  }
}

/// Why a row has no plan, or none that fits.
std::optional<std::string> reasonOf(const ComparisonRow& row) {
  if (row.error) return row.error->text();
  return planFailure(*row.run);
}

Json rowJson(const ComparisonRow& row) {
  const RunFigures& figures = row.figures;
  const auto bytes = [&](Bytes value) { return row.run ? Json(value.count()) : Json(nullptr); };
  Json json = {{"allocator", row.allocator.text()},
               {"status", comparisonStatus(row)},
               {"peak_l2", bytes(figures.peakL2)},
               {"peak_l3", bytes(figures.peakL3)},
               {"gap", orNull(figures.gap)},
               {"fragmentation", orNull(figures.fragmentation)},
               {"plan_seconds", row.run ? Json(figures.planSeconds) : Json(nullptr)},
               {"best", row.best},
               {"fragmentation_at_peak", orNull(figures.fragmentationAtPeak)},
               {"reuse", orNull(figures.reuse)},
               {"spilled_bytes", orNull(figures.spilled)},
               {"latency_ps", orNull(figures.latency)},
               {"moved_bytes", orNull(figures.moved)},
               {"lower_bound", bytes(figures.lowerBound)},
               {"inputs_outside", bytes(figures.inputsOutside)}};
  if (const auto reason = reasonOf(row)) json["reason"] = *reason;
  return json;
}

std::string cell(const Json& row, const char* key) {
  const auto value = row.find(key);
  if (value == row.end() || value->is_null()) return {};
  return value->is_string() ? csvField(value->get<std::string>()) : jsonLine(*value);
}

std::string csvLine(const std::string& file, const Json& row) {
  std::string text = csvField(file);
  for (const char* column : kCsvColumns) text += "," + cell(row, column);
  return text + "\n";
}

}  // namespace

std::string comparisonStatus(const ComparisonRow& row) {
  if (row.run) return std::string(statusName(row.run->plan.status));
  return row.stopped() ? "stopped" : "failed";
}

Json comparisonJson(const Comparison& comparison, const std::string& file) {
  const Model& model = *comparison.model;
  Json json = {{"model", {{"name", model.name}, {"sha256", model.sha256}, {"file", file}}},
               {"lower_bound", comparison.lowerBound.count()}};
  json["rows"] = Json::array();
  const bool platforms = comparison.severalPlatforms();
  for (const ComparisonRow& row : comparison.rows) {
    json["rows"].push_back(rowJson(row));
    if (platforms) json["rows"].back()["platform"] = row.platform;
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

std::string comparisonCsvHeader(bool platforms) {
  return fmt::format("{}model,{}\n", platforms ? "platform," : "", fmt::join(kCsvColumns, ","));
}

std::string comparisonCsv(const Comparison& comparison, const std::string& file) {
  std::string text;
  const bool platforms = comparison.severalPlatforms();
  for (const ComparisonRow& row : comparison.rows) {
    if (platforms) text += csvField(row.platform) + ",";
    text += csvLine(file, rowJson(row));
  }
  return text;
}

std::string unopenedCsv(const std::string& file, const std::string& reason) {
  return csvLine(file, {{"status", "failed"}, {"reason", reason}});
}

}  // namespace hw
