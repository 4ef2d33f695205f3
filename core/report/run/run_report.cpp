#include "core/report/run/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/insight/latency_words.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/picture/run_scale.h"
#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_document.h"
#include "core/report/compare/compare_picture.h"
#include "core/report/compare/compare_report.h"
#include "core/report/plan/plan_text.h"
#include "core/report/run/operator_columns.h"
#include "core/report/text/text_parts.h"

namespace hw {

namespace {

constexpr std::size_t kContributors = 15;
constexpr std::size_t kHoles = 10;
constexpr std::size_t kPath = 200;

std::string count(std::int64_t number) { return groupDigits(number); }
std::string count(Bytes bytes) { return groupDigits(bytes.count()); }

std::string percentOrDash(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.1f} %", *ratio * 100) : "–";
}

std::vector<ReportCard> cardsOf(const Run& run) {
  const RunFigures figures = figuresOf(run);
  std::vector<ReportCard> cards;
  for (const PoolMetrics& pool : run.metrics.pools) {
    if (pool.stays == 0) continue;
    const auto& capacity = run.problem.pools[pool.pool].capacity;
    const std::string name = printable(run.problem.pools[pool.pool].name, 40);
    cards.push_back({"highest address of " + name, formatBytes(pool.peak),
                     fmt::format("{} B{}, at step {}", count(pool.peak),
                                 capacity ? " of " + count(*capacity) : ", unlimited",
                                 count(pool.atTop.step.count()))});
    cards.push_back(
        {"live peak of " + name, formatBytes(pool.peakLive),
         fmt::format("{} B, at step {}", count(pool.peakLive), count(pool.peakStep.count()))});
  }
  cards.push_back(
      {"lower bound", formatBytes(figures.lowerBound),
       fmt::format("{} B are live at step {}, all memories together", count(figures.lowerBound),
                   count(run.metrics.lowerBoundStep.count()))});
  cards.push_back({"above the lower bound", figures.gap ? formatPercent(*figures.gap) : "–",
                   "all memories together; status: " + std::string(statusName(run.plan.status))});
  cards.push_back({"reuse", percentOrDash(figures.reuse), "of the bytes had a tenant before"});
  if (figures.spilled && *figures.spilled > Bytes()) {
    cards.push_back({"spilled", formatBytes(*figures.spilled), count(*figures.spilled) + " B"});
  }
  if (figures.latency) {
    cards.push_back({"latency", formatTime(*figures.latency),
                     "on " + printable(platformLabel(run.request.platform), 80)});
  }
  if (figures.latency && !run.timing.activities.sequential()) {
    const LatencyAccount& account = run.timing.account;
    cards.push_back({"latency at the least", formatTime(account.ofPlan.time),
                     "for this plan: " + printable(account.ofPlan.binds, 60)});
    cards.push_back(
        {"waits for reused bytes", formatTime(account.reuse.waits), reuseWords(account.reuse)});
  }
  if (figures.moved) {
    cards.push_back({"bytes moved", formatBytes(*figures.moved),
                     "at the least " + formatBytes(run.timing.compulsory)});
  }
  return cards;
}

ReportTable comparisonTable(const Comparison& comparison) {
  std::vector<std::string> keys = {
      "allocator",     "status", "peak_l2",    "peak_l3",    "gap", "fragmentation_at_peak",
      "fragmentation", "reuse",  "latency_ps", "moved_bytes"};
  if (comparison.severalPlatforms()) keys.insert(keys.begin() + 1, "platform");
  ReportTable table =
      reportTable("Allocators side by side", pick(comparisonColumns(), keys), comparison.rows);
  table.caption =
      fmt::format("The best by {} that holds everything is marked; {}.",
                  kRankingNames[static_cast<std::size_t>(comparison.by)], settingsText(comparison));
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    if (comparison.rows[i].best) table.marked.push_back(i);
  }
  return table;
}

/// Nothing where no blocks are taken as a whole.
std::string keptWords(const Moment& moment) {
  if (moment.kept.empty()) return {};
  return fmt::format("{} B the rest of blocks that are taken, ", count(moment.keptBytes));
}

void addPeak(const Run& run, PoolId pool, std::vector<ReportTable>& tables) {
  const PoolMetrics& metrics = run.metrics.pools[pool];
  if (metrics.stays == 0) return;
  Moment moment = momentAt(run.problem, run.plan, pool, metrics.atTop.step);
  const std::string name = printable(run.problem.pools[pool].name, 40);
  ReportTable table{
      .title = fmt::format("{} at its highest address, step {}", name, moment.step.count()),
      .caption = fmt::format("{} B live in {} buffers, {}{} B in {} holes below them, {} B above.",
                             count(moment.live), moment.tenants.size(), keptWords(moment),
                             count(moment.holeBytes), moment.holes.size(), count(moment.above)),
      .columns = {{"buffer"}, {"bytes", true}, {"share", true}, {"offset", true}, {"steps", true}}};
  std::ranges::stable_sort(moment.tenants, std::greater(),
                           [](const Moment::Tenant& tenant) { return tenant.bytes.length(); });
  for (const Moment::Tenant& tenant : moment.tenants) {
    if (table.rows.size() == kContributors) break;
    table.rows.push_back(
        {printable(run.stayName(tenant.stay), 80), count(tenant.bytes.length()),
         fmt::format("{:.1f} %", tenant.share * 100), count(tenant.bytes.begin),
         fmt::format("{}–{}", tenant.steps.begin.count(), tenant.steps.end.count() - 1)});
  }
  if (moment.tenants.size() > kContributors) {
    table.caption += fmt::format(" The {} largest:", kContributors);
  }
  tables.push_back(std::move(table));
  if (moment.holes.empty()) return;
  ReportTable holes{
      .title = "Holes in " + name + " at that step",
      .caption = "Free bytes, and what keeps them from being of use.",
      .columns = {{"from", true}, {"bytes", true}, {"below"}, {"above"}, {"until step", true}}};
  std::ranges::stable_sort(moment.holes, std::greater(),
                           [](const Moment::Hole& hole) { return hole.bytes.length(); });
  for (const Moment::Hole& hole : moment.holes) {
    if (holes.rows.size() == kHoles) break;
    holes.rows.push_back({count(hole.bytes.begin), count(hole.bytes.length()),
                          hole.below ? printable(run.stayName(hole.below), 60) : "–",
                          hole.above ? printable(run.stayName(hole.above), 60) : "–",
                          count(hole.until.count())});
  }
  tables.push_back(std::move(holes));
}

/// Where things happen side by side: what made the latency, from the first to the last.
ReportTable criticalPathTable(const Run& run) {
  const auto& path = run.timing.account.criticalPath;
  ReportTable table{.title = "Critical path",
                    .caption = "Each row is what the one below it waited for last.",
                    .columns = {{"start", true}, {"took", true}, {"activity"}, {"why not sooner"}}};
  for (const ActivityId id : path) {
    if (table.rows.size() == kPath) {
      table.caption += fmt::format(" The first {} of {}.", kPath, path.size());
      break;
    }
    const ActivityTime& time = run.timing.times[id];
    table.rows.push_back({formatTime(time.start), formatTime(time.end - time.start),
                          activityWords(run, id), causeWords(run, id)});
  }
  return table;
}

ReportTable operatorTable(const Run& run) {
  std::vector<std::string> keys = {"step", "op", "type", "time_ps", "macs"};
  for (std::string& key : poolKeys(run, "_bytes")) keys.push_back(std::move(key));
  keys.emplace_back("limited_by");
  auto columns = pick(operatorColumns(run), keys);
  columns.insert(columns.begin() + 3, liveColumn(run));
  std::vector<std::size_t> steps(run.timing.ops.size());
  std::iota(steps.begin(), steps.end(), std::size_t{0});
  return reportTable("Operators", columns, steps);
}

ReportTable placementTable(const Run& run) {
  return reportTable("Buffers",
                     pick(bufferColumns(run), {"tensor", "pool", "offset", "size", "steps"}),
                     run.problem.stays.keys());
}

std::string namesOf(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const ComparisonRow& row : comparison.rows) names.push_back(row.allocator.text());
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::string provenanceText(const Run& run) {
  std::string text = fmt::format("Highwater {}", HIGHWATER_VERSION);
  text += " · " + printable(run.model->name, 80);
  if (!run.model->sha256.empty()) text += " · SHA-256 " + run.model->sha256;
  return text + fmt::format(" · {} · seed {}", requestText(run), run.request.seed);
}

std::string commandForReport(const RunRequest& request, const Comparison* comparison, bool advice,
                             std::string_view ending, AxisUnit axis, bool method, bool shrink) {
  const bool pdf = ending == "pdf";
  std::string command = pdf ? "highwater-studio " : "highwater report ";
  command += shellWord(request.model);
  const std::string options = shellWords(optionWords(defaultRequest(), request));
  if (!options.empty()) command += " " + options;
  // Neither program has an option that compares several platforms in a report.
  if (comparison && !comparison->severalPlatforms()) {
    command += (pdf ? " --compare --allocators " : " --compare ") + shellWord(namesOf(*comparison));
  }
  if (advice) command += " --advice";
  if (shrink) command += " --shrink";
  if (method) command += " --method";
  if (axis == AxisUnit::time) command += " --axis time";
  return command + fmt::format(" {} report.{}", pdf ? "--report" : "-o", ending);
}

std::vector<ReportTable> methodReportTables(const Run& run) {
  constexpr std::size_t kMostRecords = 8;
  constexpr std::size_t kMostTicks = 200;
  std::vector<ReportTable> tables;
  for (const MethodRecord& record : firstOf(run.plan.records, kMostRecords)) {
    ReportTable table{
        .title = "What " + printable(record.name, 80) + " did",
        .caption = fmt::format(
            "Each decision, and what it put into the method's lists (+) or took out (-): {}",
            record.ticks.size() <= kMostTicks
                ? std::string("all of them.")
                : fmt::format("the first {} of {}.", kMostTicks, record.ticks.size())),
        .columns = {{"tick", true}, {"step", true}, {"buffer"}, {"what"}, {"lists"}}};
    for (const MethodTickText& tick : methodTickTexts(run, record, kMostTicks)) {
      table.rows.push_back({std::to_string(tick.number), count(tick.step.count()),
                            tick.tensor.empty() ? "–" : tick.tensor, tick.what,
                            printable(fmt::format("{}", fmt::join(tick.changes, "; ")), 400)});
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

RunReport makeReport(const Run& run, const Comparison* comparison, std::string command,
                     AxisUnit axis) {
  RunReport report{.title = printable(run.model->name, 200),
                   .subtitle = requestText(run),
                   .cards = cardsOf(run),
                   .axis = isTimed(run) ? axis : AxisUnit::step,
                   .command = std::move(command),
                   .footer = provenanceText(run)};
  if (const auto failure = planFailure(run)) report.problems.push_back(*failure);
  for (const TensorId id : run.storage.unsized) {
    report.problems.push_back(fmt::format("{}: size not known, so not planned: {}",
                                          printable(displayName(run.graph(), id), 80),
                                          printable(run.graph().tensors[id].unknownReason)));
  }
  if (comparison) {
    report.tables.push_back(comparisonTable(*comparison));
    ParetoScene scene = paretoScene(*comparison);
    if (scene.points.size() > 1) report.comparison = std::move(scene);
  }
  for (const PoolId pool : run.problem.pools.keys()) addPeak(run, pool, report.tables);
  if (!run.timing.activities.sequential()) report.tables.push_back(criticalPathTable(run));
  if (!run.timing.ops.empty()) report.tables.push_back(operatorTable(run));
  report.tables.push_back(placementTable(run));
  for (const auto* notes : {&run.graph().notes, &run.notes, &run.plan.notes, &run.timing.notes}) {
    for (const std::string& note : *notes) {
      const std::string text = printable(note, 1000);
      if (std::ranges::find(report.notes, text) == report.notes.end()) report.notes.push_back(text);
    }
  }
  return report;
}

}  // namespace hw
