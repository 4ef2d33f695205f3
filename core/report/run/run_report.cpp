#include "core/report/run/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "core/base/text.h"
#include "core/insight/latency_words.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/picture/charts/roofline_scene.h"
#include "core/picture/constraint_links.h"
#include "core/picture/gantt_scene.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "core/plan_file/method_tables.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/compare/compare_report.h"
#include "core/report/plan/plan_text.h"
#include "core/report/run/simulation_report.h"

namespace hw {
namespace {

constexpr std::size_t kContributors = 15;
constexpr std::size_t kHoles = 10;
constexpr std::size_t kPath = 200;
constexpr double kRooflineHeight = 420;

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
    cards.push_back({"moved to L3", formatBytes(*figures.spilled), count(*figures.spilled) + " B"});
  }
  if (!run.problem.constraints.penalties.empty()) {
    cards.push_back({"reuse penalty", count(penaltyOf(run.problem, run.plan)),
                     penaltyWords(run.problem, run.plan)});
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
  if (run.timing.energyPicojoules > 0) {
    std::vector<std::string> levels;
    for (const PoolId pool : run.timing.traffic.keys()) {
      const double energy = run.timing.energyOf(pool, run.timing.traffic[pool].total());
      levels.push_back(printable(run.problem.pools[pool].name, 40) + " " + energyText(energy));
    }
    cards.push_back({"energy of memory", energyText(run.timing.energyPicojoules),
                     fmt::format("{}", fmt::join(levels, ", "))});
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

/// Table of what made the latency where things happen side by side, from first to last.
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

ReportTable portTable(const Run& run) {
  ReportTable table =
      reportTable("Ports", portColumns(run), portCurves(run.timing.activities, run.timing.times));
  table.caption = "Bandwidth over the whole run, and the most of it at any time.";
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

std::string commandForReport(const RunRequest& request, std::string_view ending,
                             const ReportParts& parts) {
  const bool pdf = ending == "pdf";
  std::string command = pdf ? "highwater-studio " : "highwater report ";
  command += shellWord(request.model);
  const std::string options = shellWords(optionWords(defaultRequest(), request));
  if (!options.empty()) command += " " + options;
  // Neither program has an option that compares several platforms in a report.
  if (parts.comparison && !parts.comparison->severalPlatforms()) {
    command +=
        (pdf ? " --compare --allocators " : " --compare ") + shellWord(namesOf(*parts.comparison));
  }
  if (parts.advice) command += " --advice";
  if (parts.shrink) command += " --shrink";
  if (parts.method) command += " --method";
  if (parts.axis == AxisUnit::time) command += " --axis time";
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
  if (!run.timing.ops.empty()) {
    report.tables.push_back(portTable(run));
    report.tables.push_back(operatorTable(run));
  }
  report.tables.push_back(placementTable(run));
  for (const auto* notes : {&run.graph().notes, &run.notes, &run.plan.notes, &run.timing.notes}) {
    for (const std::string& note : *notes) {
      const std::string text = printable(note, 1000);
      if (std::ranges::find(report.notes, text) == report.notes.end()) report.notes.push_back(text);
    }
  }
  return report;
}

std::vector<ReportTable> measuredTables(const MeasuredReport& measured) {
  const MeasuredDiff& diff = measured.diff;
  ReportTable reasons = reportTable("Beside what was measured", reasonColumns(), reasonSums(diff));
  reasons.caption = printable(measured.profile, 200) + ": " + measuredSummary(diff) + ".";
  std::vector<MeasuredRow> rows;
  for (const std::size_t at : diff.largestFirst()) rows.push_back(diff.rows[at]);
  ReportTable operators = reportTable(
      "Operators that differ from what was measured",
      pick(measuredRowColumns(), {"step", "op", "type", "simulated_live", "measured_live", "takes",
                                  "keeps", "temporaries", "rounding", "duration_us", "reason"}),
      rows);
  operators.caption =
      "Bytes live while each runs, and what it takes and keeps, measured less "
      "simulated; largest first.";
  return {std::move(reasons), std::move(operators)};
}

namespace {

Json momentJson(const Run& run, const Moment& moment) {
  Json json = {{"pool", run.problem.pools[moment.pool].name},
               {"step", moment.step.count()},
               {"live", moment.live.count()},
               {"kept", moment.keptBytes.count()},
               {"holes", moment.holeBytes.count()},
               {"above", moment.above.count()},
               {"footprint", moment.footprint.count()}};
  json["buffers"] = jsonList(moment.tenants, [&](const Moment::Tenant& tenant) -> Json {
    return {{"buffer", run.stayName(tenant.stay)},
            {"offset", tenant.bytes.begin.count()},
            {"size", tenant.bytes.length().count()},
            {"first", tenant.steps.begin.count()},
            {"last", tenant.steps.end.count() - 1}};
  });
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

namespace {

/// A name may hold anything: what Markdown or HTML would read as markup is written as an entity or
/// behind a backslash.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '#':
        result += '\\';
        result += c;
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string tableText(const ReportTable& table) {
  std::string text = fmt::format("\n## {}\n\n", escaped(table.title));
  if (!table.caption.empty()) text += escaped(table.caption) + "\n\n";
  std::string rule = "|";
  text += '|';
  for (const auto& column : table.columns) {
    text += ' ' + escaped(column.title) + " |";
    rule += column.number ? "---:|" : "---|";
  }
  text += '\n' + rule + '\n';
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool marked = std::ranges::binary_search(table.marked, i);
    text += '|';
    for (const std::string& cell : table.rows[i]) {
      text += marked ? " **" + escaped(cell) + "** |" : ' ' + escaped(cell) + " |";
    }
    text += '\n';
  }
  return text;
}

std::string listText(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = fmt::format("\n## {}\n\n", title);
  for (const std::string& item : items) text += "- " + escaped(item) + '\n';
  return text;
}

}  // namespace

std::string reportMarkdown(const RunReport& report) {
  std::string text = fmt::format("# {}\n\n{}\n", escaped(report.title), escaped(report.subtitle));
  text += listText("Problems", report.problems);
  ReportTable figures{.title = "Figures", .columns = {{"figure"}, {"value", true}, {""}}};
  for (const ReportCard& card : report.cards) {
    figures.rows.push_back({card.label, card.value, card.detail});
  }
  text += tableText(figures);
  for (const ReportTable& table : report.tables) text += tableText(table);
  text += listText("Notes", report.notes);
  text += fmt::format("\n## Make this report again\n\n    {}\n\n{}\n", report.command,
                      escaped(report.footer));
  return text;
}

namespace {

class Page : public WebPage {
 public:
  Page(const Run& run, const RunReport& report)
      : WebPage(report.title, report.title + ": memory report", report.subtitle) {
    list("Problems", report.problems, "problem");
    cards(report.cards);
    pictures(run, report.axis);
    if (report.measured) figure(*report.measured, report.measured->heading(), 300, drawChart);
    for (const ReportTable& each : report.tables) table(each);
    if (report.comparison) {
      figure(*report.comparison, report.comparison->heading(), 420, drawPareto);
    }
    list("Notes", report.notes, "note");
    command("Make this report again", report.command);
  }

 private:
  void pictures(const Run& run, AxisUnit axis) {
    // The run outlives the scenes, and nobody else is to hold it.
    const std::shared_ptr<const Run> shared(std::shared_ptr<void>(), &run);
    const std::vector<PoolId> pools = usedPools(run);
    for (const PoolId pool : pools) {
      const MapScene map = MapScene::whole(shared, pool, axis);
      figure(map, map.heading(), 460, drawMap);
      const ChartScene chart = ChartScene::whole(shared, pool, axis);
      figure(chart, chart.heading(), 230, drawChart);
    }
    if (axis == AxisUnit::time) {
      const GanttScene engines = GanttScene::whole(shared);
      const SvgCanvas measured(1, 1, {}, kDocumentLetters, nullptr);
      figure(engines, engines.heading(), ganttHeight(measured.ruler(), *engines.store), drawGantt);
    }
    const RooflineScene roofs = RooflineScene::whole(shared);
    if (!roofs.isEmpty()) figure(roofs, roofs.heading(), kRooflineHeight, drawRoofline);
    if (pools.empty()) return;
    std::string key = "<p class=\"key\">colours:";
    for (const BlockClass kind : Coloring::byType()->classesOf(run)) {
      const Ink fill = blockInk(kind, BlockTime::past, BlockPart::fill);
      key += fmt::format("<i style=\"background:{}\"></i>{}", inkVariable(fill), className(kind));
    }
    line(key + "</p>");
  }
};

}  // namespace

std::string reportHtml(const Run& run, const RunReport& report) {
  return Page(run, report).finish(report.footer);
}

std::string machineSvg(const Run& run, const Palette& palette) {
  // The run outlives the scenes, and nobody else is to hold it.
  const std::shared_ptr<const Run> shared(std::shared_ptr<void>(), &run);
  const GanttScene engines = GanttScene::whole(shared);
  const RooflineScene roofs = RooflineScene::whole(shared);
  constexpr double kWidth = 1200;
  const SvgCanvas measured(1, 1, {}, kDocumentLetters, nullptr);
  const double upper = ganttHeight(measured.ruler(), *engines.store);
  const double lower = roofs.isEmpty() ? 0 : kRooflineHeight;
  SvgCanvas canvas(kWidth, upper + lower, printable(run.model->name, 80) + " on its machine",
                   kDocumentLetters, &palette);
  canvas.rectangle({0, 0, kWidth, upper + lower}, {.fill = Fill{Ink::window}});
  drawGantt(canvas, engines, {0, 0, kWidth, upper});
  drawRoofline(canvas, roofs, {0, upper, kWidth, lower});
  return canvas.finish();
}

}  // namespace hw
