#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/report/compare/compare_report.h"

namespace hw {

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

std::string ComparisonSummary::text(const ComparisonTextOptions& options) const {
  const auto shown =
      pick(columns(), {"allocator", "best", "fits", "mean_gap", "worst_gap", "plan_seconds"});
  TextTable table(shown);
  for (const Entry& entry : sorted()) table.add(cellTexts(shown, entry));
  return options.paint.bold("over " + countText(models_, "model")) + "\n" +
         table.folded(options.paint, options.width, 1);
}

Json ComparisonSummary::json() const {
  Json list = Json::array();
  for (const Entry& entry : sorted()) list.push_back(jsonRow(columns(), entry));
  return list;
}

}  // namespace hw
