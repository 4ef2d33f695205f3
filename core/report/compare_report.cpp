#include "core/report/compare_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/report/plan_text.h"
#include "core/report/text_parts.h"

namespace hw {
namespace {

/// The same for every allocator: the first row that has a run knows.
Bytes lowerBoundOf(const Comparison& comparison) {
  for (const ComparisonRow& row : comparison.rows) {
    if (row.run) return row.run->metrics.lowerBound;
  }
  return {};
}

const PoolMetrics* pool(const ComparisonRow& row, std::size_t index) {
  const PoolId id(index);
  return row.run && row.run->metrics.pools.contains(id) ? &row.run->metrics.pools[id] : nullptr;
}

std::string statusOf(const ComparisonRow& row) {
  return row.run ? std::string(statusName(row.run->plan.status)) : "failed";
}

/// Fragmentation of the pool that matters: L2, or L3 when nothing lives in L2.
double fragmentation(const ComparisonRow& row) {
  for (const PoolMetrics& metrics : row.run->metrics.pools) {
    if (metrics.stays > 0) return metrics.averageFragmentation;
  }
  return 0;
}

/// Whether everything has a place: a part of a plan has a peak, but no gap worth comparing.
bool isWhole(const ComparisonRow& row) { return row.run && !row.run->plan.outOfMemory; }

Json rowJson(const ComparisonRow& row) {
  const auto peak = [&](std::size_t index) {
    const PoolMetrics* metrics = pool(row, index);
    return metrics != nullptr ? Json(metrics->peak.count()) : Json(nullptr);
  };
  Json json = {{"allocator", row.allocator.text()},
               {"status", statusOf(row)},
               {"peak_l2", peak(0)},
               {"peak_l3", peak(1)}};
  json["gap"] = isWhole(row) ? Json(row.run->metrics.gap()) : Json(nullptr);
  json["fragmentation"] = isWhole(row) ? Json(fragmentation(row)) : Json(nullptr);
  json["plan_seconds"] = row.run ? Json(row.run->planSeconds) : Json(nullptr);
  if (row.error) json["error"] = row.error->text();
  return json;
}

std::string cell(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? csvField(value.get<std::string>()) : jsonLine(value);
}

}  // namespace

std::string comparisonText(const Comparison& comparison, const Paint& paint) {
  using enum TextTable::Align;
  TextTable table({{""},
                   {"allocator"},
                   {"status"},
                   {"L2 peak, bytes", right},
                   {"L3 peak, bytes", right},
                   {"above bound", right},
                   {"fragmentation", right},
                   {"planned in", right}});
  std::string failures;
  std::string head;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.run) {
      failures += fmt::format("  {}: {}\n", row.allocator.text(), row.error->text());
      table.add({"", row.allocator.text(), "failed"}, TextTable::Emphasis::bad);
      continue;
    }
    if (const auto failure = planFailure(*row.run)) {
      failures += fmt::format("  {}: {}\n", row.allocator.text(), *failure);
    }
    const bool best = row.fits() && row.peak() == comparison.rows.front().peak();
    const auto peak = [&](std::size_t index) {
      const PoolMetrics* metrics = pool(row, index);
      return metrics != nullptr ? groupDigits(metrics->peak.count()) : std::string("-");
    };
    const auto seconds = static_cast<std::int64_t>(row.run->planSeconds * 1e12);
    table.add({best ? "*" : "", row.allocator.text(), statusOf(row), peak(0), peak(1),
               isWhole(row) ? formatPercent(row.run->metrics.gap()) : "-",
               isWhole(row) ? fmt::format("{:.1f} %", fragmentation(row) * 100) : "-",
               formatTime(SimTime(seconds))},
              best         ? TextTable::Emphasis::good
              : row.fits() ? TextTable::Emphasis::none
                           : TextTable::Emphasis::bad);
    if (head.empty()) head = requestText(*row.run).substr(row.allocator.text().size() + 1);
  }
  const Model& model = *comparison.model;
  std::string text = paint.bold(printable(model.name)) + "  " + head + "\n";
  text += fmt::format("  lower bound {}; * marks the smallest peak\n\n",
                      bytesText(lowerBoundOf(comparison)));
  text += table.text(paint);
  if (!failures.empty()) text += "\n" + failures;
  return text;
}

Json comparisonJson(const Comparison& comparison) {
  const Model& model = *comparison.model;
  Json json = {{"model", {{"name", model.name}, {"sha256", model.sha256}}},
               {"lower_bound", lowerBoundOf(comparison).count()}};
  json["rows"] = Json::array();
  for (const ComparisonRow& row : comparison.rows) json["rows"].push_back(rowJson(row));
  return json;
}

std::string comparisonCsv(const Comparison& comparison) {
  constexpr std::array kColumns = {"allocator", "status",        "peak_l2",     "peak_l3",
                                   "gap",       "fragmentation", "plan_seconds"};
  std::string text = fmt::format("{}\n", fmt::join(kColumns, ","));
  for (const ComparisonRow& row : comparison.rows) {
    const Json json = rowJson(row);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      text += (i == 0 ? "" : ",") + cell(json[kColumns[i]]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace hw
