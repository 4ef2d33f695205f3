#include "core/report/compare/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/picture/svg_canvas.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"

namespace hw {
namespace {

/// Figure of reuse in a run's account, where there was time.
Value priceOf(const ComparisonRow& row, SimTime ReusePrice::*what) {
  if (!row.figures.reuseWaits) return {};
  return row.run->timing.account.reuse.*what;
}

/// Reason why a row has no plan, or none that fits.
std::optional<std::string> reasonOf(const ComparisonRow& row) {
  if (row.error) return row.error->text();
  return planFailure(*row.run);
}

}  // namespace

const Columns<RunFigures>& figureColumns() {
  using enum ColumnKind;
  using F = RunFigures;
  static const Columns<F> kColumns = {
      {"peak", "total peak", bytes, &F::peak,
       "Bytes to reserve in all pools together: the sum of their footprints. The line marks the "
       "lower bound, the most bytes live at one step"},
      {"peak_l2", "L2 peak", bytes, &F::peakL2, "Footprints of the first pool of every device"},
      {"peak_l3", "L3 peak", bytes, &F::peakL3, "How much of the peak is outside the first pool"},
      {"lower_bound", "lower bound", bytes, &F::lowerBound,
       "Most bytes live at one step, of what this plan holds"},
      {"inputs_outside", "inputs outside", bytes, &F::inputsOutside,
       "Graph inputs that the allocator leaves to the caller: its peak is without them"},
      {"gap", "total gap", excess, &F::gap,
       "Peak / lower bound \u2212 1, of all memories together: 0 is the best there can be, and "
       "only plans that move as much to L3 can be held against each other by it"},
      {"fragmentation_at_peak", "frag. peak", ratio, &F::fragmentationAtPeak,
       "Fragmentation at the step with most bytes live"},
      {"fragmentation", "frag. mean", ratio, &F::fragmentation,
       "1 \u2212 largest hole / all holes, its mean over the steps at which something is live. "
       "Holes are free bytes below the highest live one"},
      {"reuse", "reuse", ratio, &F::reuse,
       "Bytes placed on addresses that had a tenant before / all bytes placed"},
      {"spilled_bytes", "to L3", amount, &F::spilled,
       "Sum of the sizes of the buffers that live outside the first pool"},
      {"latency_ps", "latency", time, &F::latency,
       "Simulated time of one run on the platform, from the start of the first activity to the end "
       "of the last"},
      {"latency_bound_ps", "latency bound", time, &F::latencyBound,
       "What no plan of the same order of operators can undercut"},
      {"reuse_waits_ps", "reuse waits", time, &F::reuseWaits,
       "What reused bytes make the critical path wait beyond all else"},
      {"energy_pj", "energy, pJ", count,
       [](const F& figures) -> Value {
         if (!figures.energy) return {};
         return std::llround(*figures.energy);
       },
       "Of all that memories move"},
      {"moved_bytes", "moved", amount, &F::moved,
       "Bytes read and written by all pools while the model runs once, weights included"},
      {"plan_seconds", "planned", seconds, &F::planSeconds, "Wall time of the planner alone"}};
  return kColumns;
}

const Columns<ComparisonRow>& comparisonColumns() {
  using enum ColumnKind;
  using Row = ComparisonRow;
  static const Columns<Row> kColumns = [] {
    Columns<Row> columns = columnsVia<Row>(
        figureColumns(), [](const Row& row) { return row.run ? &row.figures : nullptr; });
    columns.insert(
        columns.begin(),
        {{"allocator", "allocator", text, [](const Row& row) { return row.allocator.text(); },
          "\u2605: ranks first, \u00bb: lowest latency, of the plans that fit and hold all that "
          "was asked for. Enter or a click opens the plan"},
         {"platform", "platform", text, &Row::platform,
          "The machine that it is planned and simulated for"},
         {"status", "status", text, comparisonStatus, "How good the plan is"},
         {"best", "best", flag, &Row::best,
          "Ranks first of the rows that fit and plan all that was asked for"},
         {"capacity_l2", "L2 size", bytes,
          [](const Row& row) {
            return row.run ? Value(row.run->problem.pools[PoolId(0)].capacity) : Value();
          },
          "What may be planned of L2; nothing: no limit"}});
    columns.push_back(
        {"reuse_bound_ps", "reuse bound", time,
         [](const Row& row) { return priceOf(row, &ReusePrice::bound); },
         "What the orders that reused bytes make add to the latency without contention"});
    columns.push_back(
        {"reuse_simulated_ps", "reuse price", time,
         [](const Row& row) { return priceOf(row, &ReusePrice::simulated); },
         "What they add to the latency as simulated; below 0 where an order holds back what would "
         "slow others down"});
    columns.push_back({"options", "options", text,
                       [](const Row& row) { return optionsText(row.request); },
                       "What it was planned with besides the allocator, as options of the command "
                       "line"});
    columns.push_back(
        {"reason", "reason", text, reasonOf, "Why there is no plan, or none that fits"});
    return columns;
  }();
  return kColumns;
}

std::string optionsText(const RunRequest& request) {
  RunRequest standard = defaultRequest();
  standard.allocator = request.allocator;
  return shellWords(optionWords(standard, request));
}

std::string comparisonStatus(const ComparisonRow& row) {
  if (row.run) return std::string(statusName(row.run->plan.status));
  return row.stopped() ? "stopped" : "failed";
}

namespace {

/// "a b c" as a list.
std::vector<std::string> keysIn(std::string_view text) {
  const auto all = splitText(text, ' ');
  return std::vector<std::string>(all.begin(), all.end());
}

Columns<ComparisonRow> jsonColumns() {
  return pick(comparisonColumns(),
              keysIn("allocator status peak_l2 peak_l3 gap fragmentation plan_seconds best "
                     "fragmentation_at_peak reuse spilled_bytes latency_ps moved_bytes "
                     "latency_bound_ps reuse_waits_ps reuse_bound_ps reuse_simulated_ps energy_pj "
                     "lower_bound inputs_outside options reason platform"));
}

Columns<ComparisonRow> csvColumns(const std::string& file, bool platforms) {
  auto columns =
      pick(comparisonColumns(),
           keysIn("platform allocator status best peak_l2 peak_l3 lower_bound inputs_outside gap "
                  "fragmentation_at_peak fragmentation reuse spilled_bytes latency_ps moved_bytes "
                  "latency_bound_ps reuse_waits_ps reuse_bound_ps reuse_simulated_ps energy_pj "
                  "plan_seconds options reason"));
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

namespace {

constexpr std::size_t kKeys = 3;  ///< Mark, allocator, status.

std::string markOf(const ComparisonRow& row) {
  if (row.best) return "*";
  return row.run && row.figures.inputsOutside > Bytes() ? "+" : "";
}

Columns<ComparisonRow> shownColumns() {
  auto columns =
      pick(comparisonColumns(), {"allocator", "status", "peak_l2", "peak_l3", "gap",
                                 "fragmentation_at_peak", "fragmentation", "reuse", "spilled_bytes",
                                 "latency_ps", "reuse_waits_ps", "moved_bytes", "plan_seconds"});
  columns.insert(columns.begin(), {.value = markOf});
  return columns;
}

/// The cell of `column` if it is the same for all plans, of which there are several. Only of those
/// that more often than not do.
std::optional<std::string> sharedCell(const Comparison& comparison,
                                      const Column<ComparisonRow>& column) {
  constexpr std::array kMayBeShared = {"peak_l3", "spilled_bytes", "latency_ps", "moved_bytes"};
  if (std::ranges::find(kMayBeShared, column.key) == kMayBeShared.end()) return std::nullopt;
  std::optional<std::string> common;
  std::size_t plans = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.run || !row.figures.whole) continue;
    const std::string cell = cellText(column.value(row), column.kind);
    if (common && cell != *common) return std::nullopt;
    common = cell;
    ++plans;
  }
  return plans > 1 ? common : std::nullopt;
}

/// Nothing waits for reused bytes where one thing follows the other.
constexpr std::string_view kReuseWaits = "reuse_waits_ps";

bool hasReuseWaits(const Comparison& comparison) {
  return std::ranges::any_of(comparison.rows, [](const ComparisonRow& row) {
    return row.figures.reuseWaits.value_or(SimTime()) > SimTime();
  });
}

TextTable::Emphasis emphasisOf(const ComparisonRow& row) {
  if (row.best) return TextTable::Emphasis::good;
  return row.fits() ? TextTable::Emphasis::none : TextTable::Emphasis::bad;
}

std::string tableText(const Comparison& comparison, const TextOptions& options) {
  auto columns = shownColumns();
  std::erase_if(columns, [&](const auto& column) {
    return sharedCell(comparison, column) ||
           (column.key == kReuseWaits && !hasReuseWaits(comparison));
  });
  TextTable table(columns);
  for (const ComparisonRow& row : comparison.rows) {
    auto cells = cellTexts(columns, row, std::max<std::size_t>(24, options.width / 3));
    cells.front() = markOf(row);
    table.add(std::move(cells), emphasisOf(row));
  }
  return table.folded(options.paint, options.width, kKeys);
}

/// "the same for all: L3 peak 0, latency 1.87 ms".
std::string sharedText(const Comparison& comparison) {
  std::string text;
  for (const auto& column : shownColumns()) {
    const auto cell = sharedCell(comparison, column);
    if (!cell || *cell == "-") continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "  the same for all: " : ", ", column.title, *cell);
  }
  return text.empty() ? text : text + "\n";
}

/// Notes of some rows but not of all of them, and why the others failed.
std::string remarksText(const Comparison& comparison) {
  std::map<std::string, std::size_t> uses;
  std::size_t runs = 0;
  const auto forNotes = [](const ComparisonRow& row, auto visit) {
    for (const auto* notes : {&row.run->notes, &row.run->plan.notes}) {
      std::ranges::for_each(*notes, visit);
    }
  };
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.run) continue;
    ++runs;
    forNotes(row, [&](const std::string& note) { ++uses[note]; });
  }
  std::string text;
  for (const ComparisonRow& row : comparison.rows) {
    const auto say = [&](const std::string& what) {
      // Some methods begin with their own name.
      const std::string own = std::string(row.allocator.info->name) + ": ";
      text += fmt::format("  {}: {}\n", printable(row.allocator.text()),
                          printable(what.starts_with(own) ? what.substr(own.size()) : what, 1000));
    };
    if (row.error) say(row.error->text());
    if (!row.run) continue;
    if (const auto failure = planFailure(*row.run)) say(*failure);
    forNotes(row, [&](const std::string& note) {
      if (uses[note] < runs) say(note);
    });
  }
  return text;
}

/// "A, B, C and 3 more": the allocators of the rows that `counts`.
template <class Counts>
std::string namesOf(const Comparison& comparison, Counts counts) {
  constexpr std::size_t kNamed = 3;
  std::string text;
  std::size_t found = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (!counts(row) || ++found > kNamed) continue;
    text += (text.empty() ? "" : ", ") + printable(row.allocator.text());
  }
  return found > kNamed ? text + fmt::format(" and {} more", found - kNamed) : text;
}

/// Words for a ranking: what ranks first, what rows are ranked by, and its column's key.
struct RankingWords {
  std::string_view best;
  std::string_view figure;
  const char* column;
};
const RankingWords& wordsOf(Ranking by) {
  static constexpr std::array<RankingWords, 4> kWords = {
      {{"smallest", "the smallest peak", "peak"},
       {"lowest latency", "the lowest latency", "latency_ps"},
       {"least traffic", "the least traffic", "moved_bytes"},
       {"least energy", "the least energy", "energy_pj"}}};
  return kWords[static_cast<std::size_t>(by)];
}

/// "smallest: A and B: 96 B; 4 B above the lower bound".
std::string bestText(const Comparison& comparison) {
  const auto best = std::ranges::find_if(comparison.rows, &ComparisonRow::best);
  if (best == comparison.rows.end()) return "  no plan fits\n";
  const Bytes above = best->peak() - comparison.lowerBound;
  const std::string names = namesOf(comparison, [](const ComparisonRow& row) { return row.best; });
  if (comparison.by != Ranking::peak) {
    return fmt::format("  {}: {}: {}, {}\n", wordsOf(comparison.by).best, names,
                       rankedText(*best, comparison.by), bytesText(best->peak()));
  }
  return fmt::format(
      "  smallest: {}: {}; {}\n", names, bytesText(best->peak()),
      above <= Bytes() ? "no plan can be smaller" : bytesText(above) + " above the lower bound");
}

/// Line about the fastest on the platform, if they differ: a small plan that spills much is slow.
std::string fastestText(const Comparison& comparison) {
  std::optional<SimTime> least;
  std::optional<SimTime> most;
  const auto counts = [](const ComparisonRow& row) { return row.fits() && row.figures.latency; };
  for (const ComparisonRow& row : comparison.rows) {
    if (!counts(row)) continue;
    least = std::min(least.value_or(*row.figures.latency), *row.figures.latency);
    most = std::max(most.value_or(*row.figures.latency), *row.figures.latency);
  }
  if (least == most || comparison.by == Ranking::latency) return {};
  const auto fastest = [&](const ComparisonRow& row) {
    return counts(row) && row.figures.latency == least;
  };
  return fmt::format("  fastest: {}: {}\n", namesOf(comparison, fastest), formatTime(*least));
}

std::string headText(const Comparison& comparison) {
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.run) continue;
    const std::string request =
        requestText(*row.run).substr(row.run->request.allocator.text().size() + 1);
    return fmt::format("{}; times on {}", request,
                       printable(platformLabel(row.run->request.platform)));
  }
  return "no plan at all";
}

std::string legendText(const Comparison& comparison) {
  const bool outside = std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return markOf(row) == "+"; });
  std::string text = fmt::format("  lower bound {}, all memories together; * marks {}",
                                 bytesText(comparison.lowerBound), wordsOf(comparison.by).figure);
  if (outside) text += "; + leaves graph inputs out";
  return text + "\n";
}

}  // namespace

std::string settingsText(const Comparison& comparison) {
  std::optional<std::string> common;
  for (const ComparisonRow& row : comparison.rows) {
    RunRequest request = row.request;
    if (comparison.severalPlatforms()) request.platform = defaultRequest().platform;
    const std::string own = optionsText(request);
    if (common && *common != own) return "made with settings that differ";
    common = own;
  }
  const std::string options = printable(common.value_or(""), 1000);
  return "made with " + (options.empty() ? "default settings" : options);
}

std::string rankedText(const ComparisonRow& row, Ranking by) {
  if (by == Ranking::peak) return bytesText(row.peak());
  const auto column = pick(comparisonColumns(), {wordsOf(by).column}).front();
  const std::string text = cellText(column.value(row), column.kind);
  return by == Ranking::energy ? text + " pJ" : text;
}

std::string comparisonText(const Comparison& comparison, const TextOptions& options) {
  std::string text = options.paint.bold(printable(comparison.model->name)) + "  " +
                     headText(comparison) + "\n" + legendText(comparison) + sharedText(comparison) +
                     "\n" + tableText(comparison, options) + "\n" + bestText(comparison) +
                     fastestText(comparison);
  const std::string remarks = remarksText(comparison);
  return remarks.empty() ? text : text + "\n" + remarks;
}

void ComparisonSummary::add(const Comparison& comparison) {
  ++models_;
  for (const ComparisonRow& row : comparison.rows) {
    const std::string name = row.allocator.text();
    Entry& entry = entries_[name];
    if (entry.models == 0) {
      entry.allocator = name;
      entry.rank = entries_.size();
    }
    ++entry.models;
    entry.seconds += row.figures.planSeconds;
    if (!row.fits()) continue;
    ++entry.fits;
    if (row.best) ++entry.best;
    entry.gaps += row.figures.gap.value_or(0);
    entry.worst = std::max(entry.worst, row.figures.gap.value_or(0));
  }
}

std::vector<ComparisonSummary::Entry> ComparisonSummary::sorted() const {
  std::vector<Entry> list;
  for (const auto& [name, entry] : entries_) list.push_back(entry);
  std::ranges::sort(list, [](const Entry& a, const Entry& b) {
    // Means are taken over the models that fit. Who fits as often is divided by the same number, so
    // sums order them as means would.
    return std::tuple(b.fits, a.gaps, a.rank) < std::tuple(a.fits, b.gaps, b.rank);
  });
  return list;
}

const Columns<ComparisonSummary::Entry>& ComparisonSummary::columns() {
  using enum ColumnKind;
  using E = Entry;
  static const Columns<E> kColumns = {
      {"allocator", "allocator", text, &E::allocator},
      {"models", "models", count, &E::models},
      {"fits", "fits", count, &E::fits},
      {"best", "best", count, &E::best},
      {"mean_gap", "mean gap", excess,
       [](const E& entry) -> Value {
         if (entry.fits == 0) return {};
         return entry.gaps / static_cast<double>(entry.fits);
       }},
      {"worst_gap", "worst gap", excess,
       [](const E& entry) { return entry.fits > 0 ? Value(entry.worst) : Value(); }},
      {"plan_seconds", "planned in", seconds, &E::seconds}};
  return kColumns;
}

std::string ComparisonSummary::text(const TextOptions& options) const {
  const auto shown =
      pick(columns(), {"allocator", "best", "fits", "mean_gap", "worst_gap", "plan_seconds"});
  return options.paint.bold("over " + countText(models_, "model")) + "\n" +
         textTable(shown, sorted()).folded(options.paint, options.width, 1);
}

Json ComparisonSummary::json() const { return jsonRows(columns(), sorted()); }

ParetoScene paretoScene(const Comparison& comparison) {
  ParetoScene scene{.title = printable(comparison.model->name, 60)};
  const bool several = comparison.severalPlatforms();
  std::map<std::string, std::size_t> series;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparisonRow& row = comparison.rows[i];
    if (!row.fits() || !row.figures.latency || row.figures.inputsOutside > Bytes()) continue;
    const std::string name = row.allocator.text();
    scene.points.push_back({.name = several ? name + " on " + row.platform : name,
                            .peak = row.peak(),
                            .latency = *row.figures.latency,
                            .series = series.emplace(row.platform, series.size()).first->second,
                            .row = i});
    if (!several && !scene.latencyBound) scene.latencyBound = row.figures.latencyBound;
  }
  if (!several) scene.lowerBound = comparison.lowerBound;
  return scene;
}

Result<std::string> paretoSvg(const Comparison& comparison, const Palette& palette) {
  const ParetoScene scene = paretoScene(comparison);
  if (scene.points.empty()) {
    return fail(ErrorCode::unsupported,
                "there is nothing to draw: no plan that fits has a latency, which takes operators");
  }
  return svgOf(scene, scene.heading(), {0, 0, 1000, 560}, palette, drawPareto);
}

}  // namespace hw
