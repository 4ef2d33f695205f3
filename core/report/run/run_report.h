#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/chart_scene.h"
#include "core/picture/charts/front_scene.h"
#include "core/report/compare/measured_report.h"
#include "core/report/text/text_table.h"
#include "core/report/text/web_page.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "core/study/compare.h"

namespace hw {

/// Contents of a report before it has a form: one source for HTML and Markdown. Holds no times of
/// this machine and no dates: equal runs make equal reports.
struct RunReport {
  std::string title{};
  std::string subtitle{};  ///< Allocator, machine, alignment.
  std::vector<ReportCard> cards{};
  std::vector<ReportTable> tables{};
  std::optional<ParetoScene> comparison{};  ///< Of plans that were simulated.
  std::optional<ChartScene> measured{};     ///< Beside what was measured.
  std::vector<std::string> problems{};      ///< Why the plan does not fit; empty when it does.
  std::vector<std::string> notes{};
  AxisUnit axis = AxisUnit::step;  ///< Of the pictures.
  std::string command{};           ///< That makes this report again.
  std::string footer{};  ///< Version, model and its SHA-256, allocator and parameters, seed.
};

/// Provenance of the figures of `run` in one line: version, model and its SHA-256, allocator and
/// parameters, machine, alignment, seed. The footer of every picture and report.
std::string provenanceText(const Run& run);

/// Parts of a report beside the run itself.
struct ReportParts {
  const Comparison* comparison = nullptr;  ///< Null: none.
  AxisUnit axis = AxisUnit::step;          ///< Of the pictures.
  bool advice = false;
  bool shrink = false;
  bool method = false;
};

/// The command that makes a report again: the model and every option that is not the default, for
/// the program that writes files of this ending ("pdf": the studio).
std::string commandForReport(const RunRequest& request, std::string_view ending,
                             const ReportParts& parts = {});

/// Tables of what the method's lists went through, tick by tick: a table a record, up to a length
/// that can be read. Empty unless the run was asked to record.
std::vector<ReportTable> methodReportTables(const Run& run);

/// For documents: what was measured beside the run.
std::vector<ReportTable> measuredTables(const MeasuredReport& measured);

/// `comparison`: of the same model and configuration, or null for a report without one. Pictures
/// are over `axis`; over steps where nothing of the run is timed.
RunReport makeReport(const Run& run, const Comparison* comparison, std::string command,
                     AxisUnit axis = AxisUnit::step);

/// One self-contained file: no scripts, nothing loaded from elsewhere. Pictures are SVG inside it.
std::string reportHtml(const Run& run, const RunReport& report);

/// The same without pictures, for wikis and merge requests.
std::string reportMarkdown(const RunReport& report);

/// Everything with exact numbers: the keys of `simulate --format json`, then `figures`, `peaks`
/// and, if there is one, `comparison`. Formats: docs/formats/report.md.
Json reportJson(const Run& run, const Comparison* comparison, const std::string& command);

/// One row an operator, in step order; of a planning problem, one row a buffer.
std::string reportCsv(const Run& run);

/// Engines and ports in time, and below them the roofline where any operator is in it. For a run
/// that is timed.
std::string machineSvg(const Run& run, const Palette& palette);

}  // namespace hw
