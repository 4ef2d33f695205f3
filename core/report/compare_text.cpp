#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/compare_report.h"
#include "core/report/plan_text.h"
#include "core/report/text_parts.h"

namespace hw {
namespace {

/// A figure of a row, as one column of the table.
struct Figure {
  const char* title;
  bool mayBeShared;  ///< Says the same for all rows more often than not.
  std::string (*cell)(const RunFigures&);
};

std::string digits(Bytes bytes) { return groupDigits(bytes.count()); }

std::string percent(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.1f} %", *ratio * 100) : "-";
}

std::string secondsText(double seconds) {
  return formatTime(SimTime(static_cast<std::int64_t>(seconds * 1e12)));
}

const std::vector<Figure>& figureColumns() {
  static const std::vector<Figure> kFigures = {
      {"L2 peak", false, [](const RunFigures& f) { return digits(f.peakL2); }},
      {"L3 peak", true, [](const RunFigures& f) { return digits(f.peakL3); }},
      {"gap", false, [](const RunFigures& f) { return f.gap ? formatPercent(*f.gap) : "-"; }},
      {"frag. peak", false, [](const RunFigures& f) { return percent(f.fragmentationAtPeak); }},
      {"frag. mean", false, [](const RunFigures& f) { return percent(f.fragmentation); }},
      {"reuse", false, [](const RunFigures& f) { return percent(f.reuse); }},
      {"spilled", true,
       [](const RunFigures& f) { return f.spilled ? formatBytes(*f.spilled) : std::string("-"); }},
      {"latency", true,
       [](const RunFigures& f) { return f.latency ? formatTime(*f.latency) : std::string("-"); }},
      {"moved", true,
       [](const RunFigures& f) { return f.moved ? formatBytes(*f.moved) : std::string("-"); }},
      {"planned", false, [](const RunFigures& f) { return secondsText(f.planSeconds); }}};
  return kFigures;
}

/// What `figure` says if it says the same for all plans, of which there are several.
std::optional<std::string> sharedCell(const Comparison& comparison, const Figure& figure) {
  std::optional<std::string> common;
  std::size_t plans = 0;
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.run || !row.figures.whole) continue;
    const std::string cell = figure.cell(row.figures);
    if (common && cell != *common) return std::nullopt;
    common = cell;
    ++plans;
  }
  return figure.mayBeShared && plans > 1 ? common : std::nullopt;
}

TextTable::Emphasis emphasisOf(const ComparisonRow& row) {
  if (row.best) return TextTable::Emphasis::good;
  return row.fits() ? TextTable::Emphasis::none : TextTable::Emphasis::bad;
}

std::string markOf(const ComparisonRow& row) {
  if (row.best) return "*";
  return row.run && row.figures.inputsOutside > Bytes() ? "+" : "";
}

std::string tableText(const Comparison& comparison, const ComparisonTextOptions& options) {
  constexpr std::size_t kKeys = 3;  // Mark, allocator, status.
  std::vector<TextTable::Column> columns = {{""}, {"allocator"}, {"status"}};
  std::vector<const Figure*> shown;
  for (const Figure& figure : figureColumns()) {
    if (sharedCell(comparison, figure)) continue;
    shown.push_back(&figure);
    columns.push_back({figure.title, TextTable::Align::right});
  }
  TextTable table(columns);
  for (const ComparisonRow& row : comparison.rows) {
    std::vector<std::string> cells = {
        markOf(row), cellName(row.allocator.text(), std::max<std::size_t>(24, options.width / 3)),
        comparisonStatus(row)};
    for (const Figure* figure : shown) cells.push_back(row.run ? figure->cell(row.figures) : "-");
    table.add(std::move(cells), emphasisOf(row));
  }
  return table.folded(options.paint, options.width, kKeys);
}

/// "the same for all: L3 peak 0, latency 1.87 ms".
std::string sharedText(const Comparison& comparison) {
  std::string text;
  for (const Figure& figure : figureColumns()) {
    const auto cell = sharedCell(comparison, figure);
    if (!cell || *cell == "-") continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "  the same for all: " : ", ", figure.title, *cell);
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

/// "best: A and B, 96 B; 4 B above the lower bound".
std::string bestText(const Comparison& comparison) {
  const auto best = std::ranges::find_if(comparison.rows, &ComparisonRow::best);
  if (best == comparison.rows.end()) return "  no plan fits\n";
  const Bytes above = best->peak() - comparison.lowerBound;
  return fmt::format(
      "  smallest: {}: {}; {}\n",
      namesOf(comparison, [](const ComparisonRow& row) { return row.best; }),
      bytesText(best->peak()),
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
  if (least == most) return {};
  const auto fastest = [&](const ComparisonRow& row) {
    return counts(row) && row.figures.latency == least;
  };
  return fmt::format("  fastest: {}: {}\n", namesOf(comparison, fastest), formatTime(*least));
}

std::string headText(const Comparison& comparison) {
  for (const ComparisonRow& row : comparison.rows) {
    if (!row.run) continue;
    const std::string request =
        requestText(*row.run).substr(row.run->config.allocator.text().size() + 1);
    return fmt::format("{}; times on {}", request, printable(row.run->config.platform.name));
  }
  return "no plan at all";
}

std::string legendText(const Comparison& comparison) {
  const bool outside = std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return markOf(row) == "+"; });
  std::string text =
      fmt::format("  lower bound {}; * marks the smallest peak", bytesText(comparison.lowerBound));
  if (outside) text += "; + leaves graph inputs out";
  return text + "\n";
}

}  // namespace

std::string comparisonText(const Comparison& comparison, const ComparisonTextOptions& options) {
  std::string text = options.paint.bold(printable(comparison.model->name)) + "  " +
                     headText(comparison) + "\n" + legendText(comparison) + sharedText(comparison) +
                     "\n" + tableText(comparison, options) + "\n" + bestText(comparison) +
                     fastestText(comparison);
  const std::string remarks = remarksText(comparison);
  return remarks.empty() ? text : text + "\n" + remarks;
}

}  // namespace hw
