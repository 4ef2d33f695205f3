#include "core/report/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/explain_report.h"
#include "core/report/plan_document.h"
#include "core/report/text_parts.h"

namespace hw {
namespace {

std::string percent(double ratio) { return fmt::format("{:.1f} %", ratio * 100); }

/// One column a pool, one line a figure: figures of one kind stand side by side.
std::string poolsText(const Run& run, const Paint& paint) {
  std::vector<TextTable::Column> columns = {{""}};
  std::vector<const PoolMetrics*> pools;
  for (const PoolMetrics& metrics : run.metrics.pools) {
    columns.push_back({printable(run.problem.pools[metrics.pool].name), TextTable::Align::right});
    pools.push_back(&metrics);
  }
  TextTable table(columns);
  const auto add = [&](const std::string& title, auto&& cell) {
    std::vector<std::string> cells = {title};
    for (const PoolMetrics* metrics : pools) cells.push_back(cell(*metrics));
    table.add(std::move(cells));
  };
  const auto ifUsed = [](const PoolMetrics& metrics, std::string text) {
    return metrics.stays > 0 ? text : std::string("-");
  };
  const std::string atLeast = run.storage.unsized.empty() ? "" : "at least ";
  add("peak", [&](const PoolMetrics& m) {
    return m.stays > 0 ? atLeast + bytesText(m.peak) : bytesText(m.peak);
  });
  add("capacity", [&](const PoolMetrics& m) {
    const auto& capacity = run.problem.pools[m.pool].capacity;
    return capacity ? bytesText(*capacity) : std::string("unlimited");
  });
  add("lower bound of what is there",
      [&](const PoolMetrics& m) { return ifUsed(m, bytesText(m.lowerBound)); });
  add("peak above it", [&](const PoolMetrics& m) { return ifUsed(m, formatPercent(m.gap())); });
  add("without any reuse",
      [&](const PoolMetrics& m) { return ifUsed(m, atLeast + bytesText(m.sum)); });
  add("fullest at step",
      [&](const PoolMetrics& m) { return ifUsed(m, groupDigits(m.peakStep.count())); });
  add("holes then", [&](const PoolMetrics& m) { return ifUsed(m, bytesText(m.atPeak.holes)); });
  add("largest hole of any step",
      [&](const PoolMetrics& m) { return ifUsed(m, bytesText(m.largestHole)); });
  add("fragmentation, average",
      [&](const PoolMetrics& m) { return ifUsed(m, percent(m.averageFragmentation)); });
  add("buffers",
      [](const PoolMetrics& m) { return groupDigits(static_cast<std::int64_t>(m.stays)); });
  return table.text(paint);
}

std::string placementsText(const Run& run, const PlanTextOptions& options) {
  const PlacementList placements = firstPlacements(run, options.rows);
  TextTable table({{"tensor"},
                   {"pool"},
                   {"offset", TextTable::Align::right},
                   {"bytes", TextTable::Align::right},
                   {"steps", TextTable::Align::right},
                   {""}});
  for (const Placement& placement : placements.first) {
    const std::string note =
        placement.aliasOf.empty() ? "" : "shares " + cellName(placement.aliasOf, 32);
    table.add({cellName(placement.tensor), printable(placement.pool),
               groupDigits(placement.offset.count()), groupDigits(placement.size->count()),
               fmt::format("{}-{}", placement.first->count(), placement.last->count()), note});
  }
  return section(options.paint, "placements", placements.count, table.text(options.paint),
                 options.rows);
}

std::string copiesText(const Run& run, const PlanTextOptions& options) {
  const auto& copies = run.storage.copies;
  TextTable table({{"operator"}, {"tensor"}, {"bytes", TextTable::Align::right}, {"why"}});
  for (const CopyNote& copy : firstOf(copies, options.rows)) {
    table.add({cellName(displayName(run.graph(), copy.op), 28),
               cellName(displayName(run.graph(), copy.tensor), 28), groupDigits(copy.bytes.count()),
               printable(copy.reason)});
  }
  return section(options.paint, "copies that remain", copies.size(), table.text(options.paint),
                 options.rows);
}

std::string unsizedText(const Run& run, const PlanTextOptions& options) {
  const auto& unsized = run.storage.unsized;
  TextTable table({{""}, {""}});
  for (const TensorId id : firstOf(unsized, options.rows)) {
    table.add(
        {cellName(displayName(run.graph(), id)), printable(run.graph().tensors[id].unknownReason)});
  }
  return section(options.paint, "size not known, so not planned", unsized.size(),
                 table.text(options.paint), options.rows);
}

std::string capacitiesText(const Run& run) {
  std::string text;
  for (const ProblemPool& pool : run.problem.pools) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(pool.name),
                        pool.capacity ? formatBytes(*pool.capacity) : "unlimited");
  }
  return text;
}

std::string statusText(const Run& run, const Paint& paint) {
  const std::string name(statusName(run.plan.status));
  const bool good =
      run.plan.status == PlanStatus::complete || run.plan.status == PlanStatus::optimal;
  return good ? paint.good(name) : paint.bad(name);
}

}  // namespace

std::string requestText(const Run& run) {
  return fmt::format("{} on {}; alignment {}", run.config.allocator.text(), capacitiesText(run),
                     groupDigits(run.alignment.count()));
}

std::string planText(const Run& run, const PlanTextOptions& options) {
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(run.model->name)) + "  " + requestText(run) + "\n";
  text += fmt::format("  {}, planned in {}", statusText(run, paint),
                      formatTime(SimTime(static_cast<std::int64_t>(run.planSeconds * 1e12))));
  text += fmt::format("; lower bound of all pools {}{}\n\n",
                      run.storage.unsized.empty() ? "" : "at least ",
                      bytesText(run.metrics.lowerBound));
  text += poolsText(run, paint);
  text += placementsText(run, options);
  text += copiesText(run, options);
  text += unsizedText(run, options);
  return text + notesText(paint, {&run.graph().notes, &run.notes, &run.plan.notes});
}

std::string planLine(const Run& run) {
  std::string text = std::string(statusName(run.plan.status)) + ":";
  for (const PoolMetrics& metrics : run.metrics.pools) {
    text += fmt::format(" {} {},", printable(run.problem.pools[metrics.pool].name),
                        bytesText(metrics.peak));
  }
  if (run.plan.outOfMemory) return text + " and not everything placed";
  return text + fmt::format(" {} over the lower bound", formatPercent(run.metrics.gap()));
}

std::optional<std::string> planFailure(const Run& run) {
  const auto found = autopsy(run.problem, run.plan);
  if (run.plan.outOfMemory) return autopsyText(run, *found);
  const PlanStatus status = run.plan.status;
  if (status == PlanStatus::infeasible) return "no plan fits: that has been proved";
  std::string text;
  for (const PoolId pool : run.problem.pools.keys()) {
    const auto& capacity = run.problem.pools[pool].capacity;
    const Bytes peak = run.plan.footprint(pool);
    if (!capacity || peak <= *capacity) continue;
    text += fmt::format("{}{} needs {} bytes, {} more than its {}", text.empty() ? "" : "; ",
                        printable(run.problem.pools[pool].name, 40), groupDigits(peak.count()),
                        groupDigits((peak - *capacity).count()), groupDigits(capacity->count()));
  }
  if (found) text += "; " + autopsyText(run, *found);
  if (!text.empty()) return "the plan does not fit: " + text;
  if (status == PlanStatus::overBudget) return "the plan does not fit";
  return std::nullopt;
}

}  // namespace hw
