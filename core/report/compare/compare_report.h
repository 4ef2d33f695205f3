#pragma once

#include <map>
#include <string>

#include "core/base/columns.h"
#include "core/picture/charts/front_scene.h"
#include "core/report/text/text_table.h"
#include "core/study/compare.h"

namespace hw {

/// Columns of a run's figures: every table, file and view that shows figures takes them from here.
const Columns<RunFigures>& figureColumns();

/// The same of a row of a comparison, after what was planned and before why it came to nothing.
const Columns<ComparisonRow>& comparisonColumns();

/// Request besides model and allocator, as options of the command line; empty: all as by
/// default.
std::string optionsText(const RunRequest& request);

/// The status of the row's plan; "stopped" or "failed" for a row without one.
std::string comparisonStatus(const ComparisonRow& row);

/// One line an allocator; the best ones are marked. Columns that say the same for all rows become a
/// line above the table; below it stand the reasons of those who failed and what sets rows apart.
std::string comparisonText(const Comparison& comparison, const TextOptions& options);

/// "96 B", "1.87 ms": what a row is ranked by.
std::string rankedText(const ComparisonRow& row, Ranking by);

/// "made with --alias all", or "made with default settings": what the rows were planned with
/// besides what they differ in. No table should leave the program without it.
std::string settingsText(const Comparison& comparison);

/// The object of docs/formats/compare.md: model, lower bound, one row an allocator. `file` is how
/// the user named the model.
Json comparisonJson(const Comparison& comparison, const std::string& file);

/// The object of a model that could not be opened.
Json unopenedJson(const std::string& file, const std::string& reason);

/// The same figures as CSV; a row per allocator and model, or one for a model that could not be
/// opened. Rows about several platforms begin with the platform's name, and their header says so.
std::string comparisonCsvHeader(bool platforms = false);
std::string comparisonCsv(const Comparison& comparison, const std::string& file);
std::string unopenedCsv(const std::string& file, const std::string& reason);

/// Account of how each allocator did over several models.
class ComparisonSummary {
 public:
  void add(const Comparison& comparison);

  /// A table, those first that fit most often, then by mean gap.
  std::string text(const TextOptions& options) const;
  Json json() const;

 private:
  struct Entry {
    std::string allocator{};
    std::size_t rank = 0;  ///< Of its first appearance.
    std::size_t models = 0;
    std::size_t fits = 0;
    std::size_t best = 0;
    double gaps = 0;  ///< Sum over the models where it fits.
    double worst = 0;
    double seconds = 0;
  };
  static const Columns<Entry>& columns();
  std::vector<Entry> sorted() const;

  std::map<std::string, Entry> entries_;
  std::size_t models_ = 0;
};

/// Peak against latency of the rows that fit and plan all that was asked for, with the walls of one
/// platform; no points where nothing was simulated.
ParetoScene paretoScene(const Comparison& comparison);

/// The picture of it as a file. Fails where nothing was simulated: a planning
/// problem has no operators.
Result<std::string> paretoSvg(const Comparison& comparison, const Palette& palette);

}  // namespace hw
