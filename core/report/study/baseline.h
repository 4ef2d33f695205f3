#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/study/study_query.h"
#include "core/run/figures.h"

namespace hw {

/// Figures of earlier runs, to hold later ones against: by run ("MODEL" or "MODEL OPTIONS")
/// and name. The file: docs/formats/baseline.md.
using Baseline = std::map<std::string, std::map<std::string, std::int64_t>>;

Result<Baseline> parseBaseline(std::string_view text);
std::string baselineText(const Baseline& baseline);

/// The figures of a run that a baseline keeps: the whole numbers among `figureColumns`, less of
/// which is better.
std::map<std::string, std::int64_t> baselineFigures(const RunFigures& figures);

/// The growth of a figure that is fine.
struct Allowance {
  std::string figure{};
  std::string text{};  ///< "+0", "+2%", "+4KiB".
  std::int64_t more = 0;
  double share = 0;  ///< Of what it was.
};

/// "peak=+0,latency=+2%,moved=+4KiB"; units in names may be left out, as in questions about
/// results.
Result<std::vector<Allowance>> parseAllowances(std::string_view text);

/// A figure of a run beside what it was.
struct HeldFigure {
  std::string figure{};
  std::optional<std::int64_t> before{};
  std::optional<std::int64_t> now{};
  std::string allowed{};
  bool grew = false;  ///< By more than is allowed, or it is not known any more.

  /// "peak grew from 8 B to 9 B, by 12.5 %; +0 is allowed".
  std::string sentence() const;
};

/// Holds a run against what it was, figure by figure as allowances name them.
std::vector<HeldFigure> holdAgainst(const std::map<std::string, std::int64_t>& before,
                                    const std::map<std::string, std::int64_t>& now,
                                    const std::vector<Allowance>& allowances);

Json heldJson(const std::vector<HeldFigure>& held);
/// The same as a table: for people, and for the summary of a pipeline.
ResultTable heldTable(const std::vector<HeldFigure>& held);

}  // namespace hw
