#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/columns.h"
#include "core/files/database.h"
#include "core/report/study/study_rules.h"
#include "core/study/compare.h"
#include "core/study/study_runs.h"

namespace hw {

/// The outcome of one run of a study.
enum class StudyState : std::uint8_t {
  done,     ///< There is a plan.
  failed,   ///< There is none; the error says why.
  crashed,  ///< The processes that ran it died in it.
};
inline constexpr std::string_view kStudyStateNames[] = {"done", "failed", "crashed"};

/// The figures of a run that results keep, in the order of their columns.
const Columns<ComparisonRow>& studyFigures();

/// The outcome of a run, as a worker tells it.
struct StudyResult {
  std::size_t number = 0;  ///< Of the run, in its study.
  StudyState state = StudyState::done;
  std::string error{};
  double seconds = 0;            ///< Wall time of the whole run.
  std::vector<Value> figures{};  ///< As `studyFigures`; none where there is no plan.
};

/// A file of results: a database of SQLite whose tables docs/formats/results.md tells. Made by one
/// writer at a time, and read by anybody meanwhile.
class StudyResults {
 public:
  /// Makes a file for the runs of a study, whose text is `study`; goes on with one that is there if
  /// `resume` says so, by the constraints and with the text that the study has now. Fails where a
  /// file of another kind, of a newer version, of a study with other axes or of fewer figures is
  /// there. `runs` outlives it.
  static Result<StudyResults> write(const std::string& path, const StudyRuns& runs,
                                    const std::string& study, bool resume);

  /// The runs of the study, by number, that are not in the file or crashed, or of which a model, a
  /// platform or the program has changed since.
  Result<std::vector<std::size_t>> missing();

  /// Adds, or replaces, results in one transaction.
  Result<void> put(const std::vector<StudyResult>& results);

  /// Takes over all results of another file; once more changes nothing. Returns how many there are.
  /// Fails where that one records less.
  Result<std::size_t> merge(const std::string& path);

  Database& database() { return database_; }

 private:
  StudyResults(Database database, const StudyRuns& runs, StudyRules rules);
  Result<void> make();
  Result<void> check(bool resume);
  /// Fails where the rows of a file lack figures that the study records.
  Result<void> checkRecorded(Database& database) const;
  Result<void> describe(const std::string& study);
  std::vector<Value> rowOf(const StudyResult& result);

  Database database_;
  const StudyRuns& runs_;
  StudyRules rules_;
  std::map<std::string, std::string> prints_;  ///< Of models and platforms, by name.
};

/// A file of results to ask. Fails where it is none, or of a newer version.
Result<Database> openResults(const std::string& path);

/// The value of a key of the table `meta`; empty: there is none.
Result<std::string> metaOf(Database& results, const std::string& key);

/// The rows of a file of results, counted.
struct StudyCounts {
  std::map<std::string, std::size_t> states{};  ///< By the name of their state.
  double seconds = 0;                           ///< Sum of the times of all runs.

  std::size_t rows() const;
};
Result<StudyCounts> countsOf(Database& results);

/// The same with those that would come out otherwise today.
struct StudyStatus : StudyCounts {
  /// Rows whose model, platform or program has changed, by the reason in words.
  std::map<std::string, std::size_t> stale{};
  std::string constraints{};  ///< Of the study, as SQL; empty: it has none.
  std::size_t unmet = 0;      ///< Rows within capacity that do not meet them.
};
Result<StudyStatus> statusOf(Database& results);
/// Rows within capacity that do not meet the constraints of the study.
Result<std::size_t> unmetRows(Database& results);

}  // namespace hw
