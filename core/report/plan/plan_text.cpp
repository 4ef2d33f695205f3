#include "core/report/plan/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/constraint_links.h"
#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_document.h"
#include "core/run/figures.h"

namespace hw {
namespace {

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
  const std::string atLeast = run.storage.unsized.empty() ? "" : "at least ";
  add("capacity", [&](const PoolMetrics& m) {
    const auto& capacity = run.problem.pools[m.pool].capacity;
    return capacity ? bytesText(*capacity) : std::string("unlimited");
  });
  const auto reserved = [&](const PoolMetrics* m) { return reservedBytes(run, m->pool); };
  if (std::ranges::any_of(pools, [&](const auto* m) { return reserved(m) > Bytes(); })) {
    add("reserved above it",
        [&](const PoolMetrics& m) { return bytesText(reservedBytes(run, m.pool)); });
  }
  const bool blocks =
      std::ranges::any_of(pools, [](const PoolMetrics* m) { return m->atPeak.kept > Bytes(); });
  for (const Column<PoolMetrics>& column :
       pick(poolColumns(),
            {"peak", "footprint_step", "peak_live", "peak_step", "gap", "sum_of_sizes",
             "kept_at_peak", "holes_at_peak", "largest_hole", "fragmentation_average"})) {
    if (column.key == "kept_at_peak" && !blocks) continue;
    const bool ofAll = column.key == "peak" || column.key == "sum_of_sizes";
    add(column.title, [&](const PoolMetrics& m) -> std::string {
      if (m.stays == 0) return column.key == "peak" ? bytesText(m.peak) : "-";
      const Value value = column.value(m);
      const bool bytes = column.kind == ColumnKind::bytes;
      return (ofAll ? atLeast : "") +
             (bytes ? bytesText(Bytes(*value.whole())) : cellText(value, column.kind));
    });
  }
  add("buffers", [](const PoolMetrics& m) { return groupDigits(m.stays); });
  return table.text(paint);
}

std::string placementsText(const Run& run, const TextOptions& options) {
  const PlacementList placements = firstPlacements(run, options.rows);
  auto columns = pick(placementColumns(), {"tensor", "pool", "offset", "size", "steps"});
  columns.push_back({.value = [](const Placement& placement) -> Value { return placement.share; }});
  const TextTable table = textTable<Placement>(columns, placements.first, {.dash = ""});
  return section(options.paint, "placements", placements.count, table.text(options.paint),
                 options.rows);
}

std::string copiesText(const Run& run, const TextOptions& options) {
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

std::string recordText(const Run& run, const TextOptions& options) {
  std::string text;
  for (const MethodRecord& record : run.plan.records) {
    std::string lines;
    for (const std::string& line : methodRecordLines(run, record, options.rows)) {
      lines += "  " + line + "\n";
    }
    text += section(options.paint, "what " + record.name + " did, tick by tick",
                    record.ticks.size(), lines, options.rows);
  }
  return text;
}

std::string unsizedText(const Run& run, const TextOptions& options) {
  const auto& unsized = run.storage.unsized;
  TextTable table({{""}, {""}});
  for (const TensorId id : firstOf(unsized, options.rows)) {
    table.add(
        {cellName(displayName(run.graph(), id)), printable(run.graph().tensors[id].unknownReason)});
  }
  return section(options.paint, "size not known, so not planned", unsized.size(),
                 table.text(options.paint), options.rows);
}

std::string statusText(const Run& run, const Paint& paint) {
  const std::string name(statusName(run.plan.status));
  return fits(run) ? paint.good(name) : paint.bad(name);
}

}  // namespace

std::string capacitiesText(const Run& run) {
  return joinText(run.problem.pools, ", ", [](const ProblemPool& pool) {
    return printable(pool.name) + " " + (pool.capacity ? formatBytes(*pool.capacity) : "unlimited");
  });
}

std::string requestText(const Run& run) {
  std::string text = fmt::format("{} on {}; alignment {}", run.request.allocator.text(),
                                 capacitiesText(run), groupDigits(run.sharing.alignment.count()));
  if (run.order) text += fmt::format("; order {}", opOrderName(run.request.order));
  return text;
}

std::string planText(const Run& run, const TextOptions& options) {
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(run.model->name)) + "  " + requestText(run) + "\n";
  text += fmt::format("  {}, planned in {}", statusText(run, paint),
                      formatTime(SimTime(static_cast<std::int64_t>(run.planSeconds * 1e12))));
  text += fmt::format("; lower bound of all pools {}{}\n\n",
                      run.storage.unsized.empty() ? "" : "at least ",
                      bytesText(run.metrics.lowerBound));
  text += poolsText(run, paint);
  const std::string penalties = penaltyWords(run.problem, run.plan);
  if (!penalties.empty()) text += "  penalty: " + penalties + "\n";
  text += placementsText(run, options);
  text += copiesText(run, options);
  text += unsizedText(run, options);
  text += recordText(run, options);
  return text + notesText(paint, {&run.graph().notes, &run.notes, &run.plan.notes});
}

std::string planLine(const Run& run) {
  std::string text = std::string(statusName(run.plan.status)) + ":";
  for (const PoolMetrics& metrics : run.metrics.pools) {
    text += fmt::format(" {} {},", printable(run.problem.pools[metrics.pool].name),
                        bytesText(metrics.peak));
  }
  if (run.plan.outOfMemory) return text + " and not everything placed";
  return text +
         fmt::format(" {} over the lower bound of all pools", formatPercent(run.metrics.gap()));
}

std::optional<std::string> planFailure(const Run& run) {
  if (fits(run)) return std::nullopt;
  const auto found = autopsy(run);
  if (run.plan.outOfMemory) return autopsyText(run, *found);
  if (run.plan.status == PlanStatus::infeasible) return "no plan fits: that has been proved";
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
  return "the plan does not fit" + (text.empty() ? text : ": " + text);
}

namespace {

/// Words for what is wrong with a pool that the stay wanted to be in.
std::string poolText(const Run& run, const Autopsy::Pool& pool) {
  std::string text = fmt::format(
      "{} has {} of {} bytes free, largest block {}",
      printable(run.problem.pools[pool.pool].name, 40), groupDigits(pool.freeBytes.count()),
      groupDigits(pool.capacity.count()), groupDigits(pool.largestFree.count()));
  if (pool.sufficient > pool.capacity) {
    text += fmt::format(", {} would have sufficed", groupDigits(pool.sufficient.count()));
  }
  return text;
}

/// Of a fragmented pool: who keeps its largest hole from being larger.
std::string wallsText(const Run& run, const Autopsy& found) {
  const Moment::Hole* largest = nullptr;
  for (const Autopsy::Pool& pool : found.pools) {
    const auto* hole = pool.moment.largestHole();
    if (hole == nullptr || pool.freeBytes < found.wanted) continue;
    if (largest == nullptr || hole->bytes.length() > largest->bytes.length()) largest = hole;
  }
  if (largest == nullptr) return {};
  const auto name = [&](StayId stay) { return "'" + printable(run.stayName(stay), 60) + "'"; };
  return fmt::format("; the largest hole, {} bytes, lies {} until step {}",
                     groupDigits(largest->bytes.length().count()),
                     largest->below
                         ? "between " + name(largest->below) + " and " + name(largest->above)
                         : "below " + name(largest->above),
                     largest->until.count() - 1);
}

std::string causeText(const Run& run, const Autopsy& found) {
  switch (found.cause) {
    case Autopsy::Cause::fragmentation:
      return "there is room, but it is fragmented" + wallsText(run, found);
    case Autopsy::Cause::exhaustion:
      return "memory is exhausted: fewer bytes are free than wanted";
    case Autopsy::Cause::impossible:
      break;
  }
  return fmt::format("no planner can: {} bytes are live at once",
                     groupDigits(found.lowerBound.count()));
}

}  // namespace

std::string autopsyText(const Run& run, const Autopsy& found) {
  const bool failed = run.plan.outOfMemory.has_value();
  std::string text =
      fmt::format("{} '{}', {} bytes, at step {}",
                  failed ? "out of memory: no room for" : "first to end too high:",
                  printable(run.stayName(found.stay), 80), groupDigits(found.wanted.count()),
                  groupDigits(found.step.count()));
  for (const Autopsy::Pool& pool : found.pools) text += "; " + poolText(run, pool);
  return text + "; " + causeText(run, found);
}

}  // namespace hw
