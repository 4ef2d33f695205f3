#include "core/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/plan/moment.h"
#include "core/report/compare_report.h"
#include "core/report/plan_text.h"
#include "core/report/text_table.h"

namespace hw {

namespace {

constexpr std::size_t kContributors = 15;
constexpr std::size_t kHoles = 10;

std::string count(std::int64_t number) { return groupDigits(number); }
std::string count(Bytes bytes) { return groupDigits(bytes.count()); }

std::string percentOrDash(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.1f} %", *ratio * 100) : "–";
}

std::string stepsText(const Interval<Step>& steps) {
  return fmt::format("{}–{}", steps.begin.count(), steps.end.count() - 1);
}

std::vector<ReportCard> cardsOf(const Run& run) {
  const RunFigures figures = figuresOf(run);
  std::vector<ReportCard> cards;
  for (const PoolMetrics& pool : run.metrics.pools) {
    if (pool.stays == 0) continue;
    const auto& capacity = run.problem.pools[pool.pool].capacity;
    cards.push_back({"peak of " + printable(run.problem.pools[pool.pool].name, 40),
                     formatBytes(pool.peak),
                     count(pool.peak) + " B" +
                         (capacity ? " of " + count(*capacity) : std::string(", unlimited"))});
  }
  cards.push_back({"lower bound", formatBytes(figures.lowerBound),
                   count(figures.lowerBound) + " B are live at one step"});
  cards.push_back({"above the bound", figures.gap ? formatPercent(*figures.gap) : "–",
                   "status: " + std::string(statusName(run.plan.status))});
  cards.push_back({"reuse", percentOrDash(figures.reuse), "of the bytes had a tenant before"});
  if (figures.spilled && *figures.spilled > Bytes()) {
    cards.push_back({"spilled", formatBytes(*figures.spilled), count(*figures.spilled) + " B"});
  }
  if (figures.latency) {
    cards.push_back(
        {"latency", formatTime(*figures.latency), "on " + printable(run.config.platform.name, 40)});
  }
  if (figures.moved) {
    cards.push_back({"bytes moved", formatBytes(*figures.moved),
                     "at the least " + formatBytes(run.timing.compulsory)});
  }
  return cards;
}

ReportTable comparisonTable(const Comparison& comparison) {
  ReportTable table{.title = "Allocators side by side",
                    .caption = "The smallest peak that holds everything is marked.",
                    .columns = {{"allocator"},
                                {"status"},
                                {"L2 peak, B", true},
                                {"L3 peak, B", true},
                                {"above bound", true},
                                {"fragmentation at peak", true},
                                {"average", true},
                                {"reuse", true},
                                {"latency", true},
                                {"moved, B", true}}};
  for (const ComparisonRow& row : comparison.rows) {
    if (row.best) table.marked.push_back(table.rows.size());
    const std::string name = printable(row.allocator.text(), 80);
    if (!row.run) {
      table.rows.push_back({name, comparisonStatus(row), "–", "–", "–", "–", "–", "–", "–", "–"});
      continue;
    }
    const RunFigures& figures = row.figures;
    table.rows.push_back({name, comparisonStatus(row), count(figures.peakL2), count(figures.peakL3),
                          figures.gap ? formatPercent(*figures.gap) : "–",
                          percentOrDash(figures.fragmentationAtPeak),
                          percentOrDash(figures.fragmentation), percentOrDash(figures.reuse),
                          figures.latency ? formatTime(*figures.latency) : "–",
                          figures.moved ? count(*figures.moved) : "–"});
  }
  return table;
}

void addPeak(const Run& run, PoolId pool, std::vector<ReportTable>& tables) {
  const auto step = peakStep(run.problem, run.plan, pool);
  if (!step) return;
  Moment moment = momentAt(run.problem, run.plan, pool, *step);
  const std::string name = printable(run.problem.pools[pool].name, 40);
  ReportTable table{
      .title = fmt::format("{} at its peak, step {}", name, step->count()),
      .caption = fmt::format("{} B live in {} buffers, {} B in {} holes below them, {} B above.",
                             count(moment.live), moment.tenants.size(), count(moment.holeBytes),
                             moment.holes.size(), count(moment.above)),
      .columns = {{"buffer"}, {"bytes", true}, {"share", true}, {"offset", true}, {"steps", true}}};
  std::ranges::stable_sort(moment.tenants, std::greater(),
                           [](const Moment::Tenant& tenant) { return tenant.bytes.length(); });
  for (const Moment::Tenant& tenant : moment.tenants) {
    if (table.rows.size() == kContributors) break;
    table.rows.push_back({printable(run.stayName(tenant.stay), 80), count(tenant.bytes.length()),
                          fmt::format("{:.1f} %", tenant.share * 100), count(tenant.bytes.begin),
                          stepsText(tenant.steps)});
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

ReportTable operatorTable(const Run& run) {
  ReportTable table{.title = "Operators",
                    .columns = {{"step", true},
                                {"operator"},
                                {"type"},
                                {"live, B", true},
                                {"time", true},
                                {"MACs", true}}};
  for (const PoolId pool : run.timing.traffic.keys()) {
    table.columns.push_back({printable(run.problem.pools[pool].name, 40) + ", B", true});
  }
  table.columns.push_back({"limited by"});
  const StepFunction live = liveBytes(run.problem);
  for (std::size_t index = 0; index < run.timing.ops.size(); ++index) {
    const OpTiming& timing = run.timing.ops[index];
    const Step step(static_cast<std::int64_t>(index));
    const OpId op = run.schedule.opAt(step);
    std::vector<std::string> cells = {count(step.count()),
                                      printable(displayName(run.graph(), op), 80),
                                      printable(run.graph().ops[op].type, 40),
                                      count(live.at(step)),
                                      formatTime(timing.time.length()),
                                      timing.macs > 0 ? count(timing.macs) : "–"};
    for (const Traffic& traffic : timing.traffic) cells.push_back(count(traffic.total()));
    cells.resize(table.columns.size() - 1, "–");
    cells.emplace_back(bottleneckName(timing.bottleneck));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ReportTable placementTable(const Run& run) {
  ReportTable table{
      .title = "Buffers",
      .columns = {{"buffer"}, {"pool"}, {"offset", true}, {"bytes", true}, {"steps", true}}};
  for (const StayId stay : run.problem.stays.keys()) {
    const auto& address = run.plan.addresses[stay];
    const auto offset = run.plan.flatOffset(stay);
    table.rows.push_back({printable(run.stayName(stay), 80),
                          address ? printable(run.problem.pools[address->pool].name, 40) : "–",
                          offset ? count(*offset) : "no place", count(run.problem.stays[stay].size),
                          stepsText(run.problem.stays[stay].steps)});
  }
  return table;
}

}  // namespace

std::string provenanceText(const Run& run) {
  std::string text = fmt::format("Highwater {}", HIGHWATER_VERSION);
  text += " · " + printable(run.model->name, 80);
  if (!run.model->sha256.empty()) text += " · SHA-256 " + run.model->sha256;
  return text + fmt::format(" · {} · seed {}", requestText(run), run.config.seed);
}

RunReport makeReport(const Run& run, const Comparison* comparison, std::string command) {
  RunReport report{.title = printable(run.model->name, 200),
                   .subtitle = requestText(run),
                   .cards = cardsOf(run),
                   .command = std::move(command),
                   .footer = provenanceText(run)};
  if (const auto failure = planFailure(run)) report.problems.push_back(*failure);
  for (const TensorId id : run.storage.unsized) {
    report.problems.push_back(fmt::format("{}: size not known, so not planned: {}",
                                          printable(displayName(run.graph(), id), 80),
                                          printable(run.graph().tensors[id].unknownReason)));
  }
  if (comparison) report.tables.push_back(comparisonTable(*comparison));
  for (const PoolId pool : run.problem.pools.keys()) addPeak(run, pool, report.tables);
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
