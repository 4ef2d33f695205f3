#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/columns.h"
#include "core/report/study/study_table.h"
#include "core/report/text/text_table.h"

namespace hw {

/// The answer to a question about results: named columns, and rows of values.
struct ResultTable {
  struct Column {
    std::string key{};
    ColumnKind kind = ColumnKind::text;
  };
  std::vector<Column> columns{};
  std::vector<std::vector<Value>> rows{};

  /// The same in the forms in which answers leave.
  std::string text(const TextOptions& options) const;
  std::string csv() const;
  Json json() const;
  std::string jsonLines() const;
  std::string markdown() const;
};

// Figures are columns of the file (docs/formats/results.md); the units in their names may be left
// out: "latency" is latency_ps. Axes are "model", "allocator" and the options of the study. All
// fail where there is no such column, it was not recorded, or the condition cannot be read, and
// name it.

/// "latency" for latency_ps.
std::string wordOfFigure(std::string_view key);
/// "latency", "moved": the figure for people.
std::string figureTitle(const std::string& key);
/// Text for what is no figure.
ColumnKind kindOf(const std::string& key);

/// Of each model the rows that no other is as good as, by two figures or more, of which less is
/// better: ascending by the first; of equal ones the first by allocator and axes.
Result<ResultTable> paretoOf(const ResultScope& scope, const std::vector<std::string>& figures);

/// A table of two axes: the geometric mean of a figure over all rows of both values; the arithmetic
/// mean where not all are above 0.
Result<ResultTable> pivotOf(const ResultScope& scope, const std::string& down,
                            const std::string& across, const std::string& figure);

/// Of each model and value of an axis, the row with the least of a figure.
Result<ResultTable> bestBy(const ResultScope& scope, const std::string& axis,
                           const std::string& figure);

/// The comparison of rows with those that have `value` on an axis and are the same on all others:
/// for each other value of it, in how many pairs, in how many it is lower and higher, and the
/// geometric mean of the ratios.
Result<ResultTable> againstBaseline(const ResultScope& scope, const std::string& axis,
                                    const std::string& value, const std::string& figure);

/// The axes that a figure depends on: see `AxisShare`.
Result<ResultTable> whatMatters(const ResultScope& scope, const std::string& figure);

/// The rows of one statement of SQL that only reads.
Result<ResultTable> answerSql(Database& results, const std::string& statement);

/// A question as people and programs ask it; one of the first six.
struct StudyQuestion {
  std::string pareto{};    ///< "peak,latency"
  std::string pivot{};     ///< "l2,allocator"
  std::string bestBy{};    ///< "l2"
  std::string baseline{};  ///< "allocator=free-list"
  bool matters = false;
  std::string sql{};
  std::string figure = "peak";
  std::string where{};

  /// The number of questions that are asked, of the first six.
  int count() const;
};

/// The answer; nothing where no question is asked. Fails on two at a time, too.
Result<std::optional<ResultTable>> answerStudy(Database& results, const StudyQuestion& question);

}  // namespace hw
