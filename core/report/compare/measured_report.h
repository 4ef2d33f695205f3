#pragma once

#include <string>

#include "core/base/columns.h"
#include "core/insight/measured_diff.h"
#include "core/picture/chart_scene.h"
#include "core/report/text/text_table.h"

namespace hw {

/// A run beside what was measured.
struct MeasuredReport {
  std::shared_ptr<const Run> run{};
  std::string profile{};  ///< As the user named it.
  MeasuredDiff diff{};
};

/// Columns of operators beside what was measured, in every format.
const Columns<MeasuredRow>& measuredRowColumns();

/// The rows that differ for one reason.
struct ReasonSum {
  MeasuredReason reason{};
  std::size_t operators = 0;
  Bytes bytes{};  ///< Sum of what each is about.
};
/// Those about most bytes first.
std::vector<ReasonSum> reasonSums(const MeasuredDiff& diff);
const Columns<ReasonSum>& reasonColumns();

/// "most live at once: 5,993,856 B simulated and measured", or by how much they differ.
std::string measuredSummary(const MeasuredDiff& diff);

/// Peaks side by side, why they differ, and the operators that do, largest first.
std::string measuredText(const MeasuredReport& report, const TextOptions& options);

/// A line an operator, in the order in which they ran.
std::string measuredCsv(const MeasuredReport& report);

/// {"format": "highwater-measured", "version": 1, ...}: docs/formats/measurements.md.
Json measuredJson(const MeasuredReport& report);

/// Bytes live at each step as simulated, planned and measured; and the picture as a file.
ChartScene measuredScene(const MeasuredReport& report);
std::string measuredSvg(const MeasuredReport& report, const Palette& palette);

}  // namespace hw
