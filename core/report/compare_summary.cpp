#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/report/compare_report.h"

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
    // All have `fits` of their own: where they are equal, sums order like means.
    return std::tuple(b.fits, a.gaps, a.rank) < std::tuple(a.fits, b.gaps, b.rank);
  });
  return list;
}

std::string ComparisonSummary::text(const ComparisonTextOptions& options) const {
  using enum TextTable::Align;
  TextTable table({{"allocator"},
                   {"best", right},
                   {"fits", right},
                   {"mean gap", right},
                   {"worst gap", right},
                   {"planned in", right}});
  for (const Entry& entry : sorted()) {
    const bool any = entry.fits > 0;
    const double mean = any ? entry.gaps / static_cast<double>(entry.fits) : 0;
    table.add({cellName(entry.allocator), std::to_string(entry.best), std::to_string(entry.fits),
               any ? formatPercent(mean) : "-", any ? formatPercent(entry.worst) : "-",
               formatTime(SimTime(static_cast<std::int64_t>(entry.seconds * 1e12)))});
  }
  return options.paint.bold("over " + countText(models_, "model")) + "\n" +
         table.folded(options.paint, options.width, 1);
}

Json ComparisonSummary::json() const {
  Json list = Json::array();
  for (const Entry& entry : sorted()) {
    const bool any = entry.fits > 0;
    list.push_back(
        {{"allocator", entry.allocator},
         {"models", entry.models},
         {"fits", entry.fits},
         {"best", entry.best},
         {"mean_gap", any ? Json(entry.gaps / static_cast<double>(entry.fits)) : Json(nullptr)},
         {"worst_gap", any ? Json(entry.worst) : Json(nullptr)},
         {"plan_seconds", entry.seconds}});
  }
  return list;
}

}  // namespace hw
