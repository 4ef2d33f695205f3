#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/report/study/study_table.h"
#include "core/study/study_runs.h"

namespace hw {

/// A file of results as it was at one moment, with all that views and reports show of it.
struct StudyFile {
  std::string path{};
  StudyTable table{};  ///< All rows with a plan that fits; the figures that any of them has.
  std::map<std::string, std::size_t> states{};  ///< Rows, by the name of their state.
  /// Rows without a plan that fits, by the reason in words, the most frequent first.
  std::vector<std::pair<std::string, std::size_t>> reasons{};
  double seconds = 0;   ///< Sum of the times of all runs.
  std::string study{};  ///< Its text, and the folder of its files.
  std::string folder{};
  std::optional<StudyRuns> runs{};  ///< Nothing: that cannot be read any more, and `why` not.
  std::string why{};

  std::size_t rows() const;
  /// The run of a row of the table, to be opened; nothing where the study has none such.
  std::optional<StudyRun> runOf(std::uint32_t row) const;
};
/// `where` narrows the rows of its table down.
Result<StudyFile> readStudyFile(const std::string& path, const std::string& where = "");

}  // namespace hw
