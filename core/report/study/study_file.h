#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/study/results.h"
#include "core/report/study/study_table.h"
#include "core/study/study_runs.h"

namespace hw {

/// A file of results as it was at one moment, with all that views and reports show of it.
struct StudyFile : StudyCounts {
  std::string path{};
  StudyTable table{};       ///< All rows with a plan that fits; the figures that any of them has.
  std::size_t fitting = 0;  ///< Rows with a plan that fits and meets the constraints, of all.
  /// Rows without one, by the reason in words, the most frequent first; rare ones together.
  std::vector<std::pair<std::string, std::size_t>> reasons{};
  std::string study{};  ///< Its text, and the folder of its files.
  std::string folder{};
  std::optional<StudyRuns> runs{};  ///< Nothing: that cannot be read any more, and `why` not.
  std::string why{};

  /// The run of a row of the table, to be opened; nothing where the study has none such.
  std::optional<StudyRun> runOf(std::uint32_t row) const;
};
/// `where` narrows the rows of its table down, and `figure` is a further column of it.
Result<StudyFile> readStudyFile(const std::string& path, const std::string& where = "",
                                const std::string& figure = "");

}  // namespace hw
