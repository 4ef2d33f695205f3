#include "core/base/text.h"
#include "core/report/run/run_report.h"

namespace hw {

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

}  // namespace hw
