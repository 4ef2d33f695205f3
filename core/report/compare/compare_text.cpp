#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/report/compare/compare_report.h"
#include "core/report/plan/plan_text.h"
#include "core/report/text/text_parts.h"

namespace hw {
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

/// What `column` says if it says the same for all plans, of which there are several. Only of those
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

/// Where one thing follows the other, nothing waits for reused bytes.
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

std::string tableText(const Comparison& comparison, const ComparisonTextOptions& options) {
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

/// What ranks first is called, and what rows are ranked by: in words, and its column's key.
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

/// Who is fastest on the platform, if they differ: a small plan that spills much is slow.
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

std::string comparisonText(const Comparison& comparison, const ComparisonTextOptions& options) {
  std::string text = options.paint.bold(printable(comparison.model->name)) + "  " +
                     headText(comparison) + "\n" + legendText(comparison) + sharedText(comparison) +
                     "\n" + tableText(comparison, options) + "\n" + bestText(comparison) +
                     fastestText(comparison);
  const std::string remarks = remarksText(comparison);
  return remarks.empty() ? text : text + "\n" + remarks;
}

}  // namespace hw
