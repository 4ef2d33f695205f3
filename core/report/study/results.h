#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/columns.h"
#include "core/files/database.h"
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
  /// `resume` says so. Fails where a file of another kind, of a newer version or of a study with
  /// other axes is there. `runs` outlives it.
  static Result<StudyResults> write(const std::string& path, const StudyRuns& runs,
                                    const std::string& study, bool resume);

  /// The runs of the study, by number, that are not in the file or crashed, or of which a model, a
  /// platform or the program has changed since.
  Result<std::vector<std::size_t>> missing();

  /// Adds, or replaces, results in one transaction.
  Result<void> put(const std::vector<StudyResult>& results);

  /// Takes over all results of another file; once more changes nothing. Returns how many there are.
  Result<std::size_t> merge(const std::string& path);

  Database& database() { return database_; }

 private:
  StudyResults(Database database, const StudyRuns& runs);
  Result<void> make(const std::string& study);
  Result<void> check(bool resume);
  std::vector<Value> rowOf(const StudyResult& result);

  Database database_;
  const StudyRuns& runs_;
  std::map<std::string, std::string> prints_;  ///< Of models and platforms, by name.
};

/// A file of results to ask. Fails where it is none, or of a newer version.
Result<Database> openResults(const std::string& path);

/// The rows of a file of results, counted, and those that would come out otherwise today.
struct StudyStatus {
  std::map<std::string, std::size_t> states{};  ///< Rows, by the name of their state.
  double seconds = 0;                           ///< Sum of the times of all runs.
  /// Rows whose model, platform or program has changed, by the reason in words.
  std::map<std::string, std::size_t> stale{};
};
Result<StudyStatus> statusOf(Database& results);

}  // namespace hw
