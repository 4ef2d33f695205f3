#pragma once

#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <vector>

#include "core/report/study/results.h"
#include "core/study/study_runs.h"

namespace hw {

/// The one argument with which the program is a worker.
inline constexpr std::string_view kStudyWorker = "study-worker";

/// A study as workers are told it.
struct StudyText {
  std::string study{};  ///< The text of the study.
  std::string folder{};
  Plugins plugins = Plugins::refuse;
};

/// The processes that do runs of a study, and when they stop.
struct StudyWork {
  StudyText text{};
  /// The command line of a worker: a program that calls `workOnStudy` on its standard streams.
  std::vector<std::string> worker{};
  int workers = 1;
  std::stop_token stop{};
  /// Told now and then how many of the runs are done. May be empty.
  std::function<void(std::size_t done, std::size_t of)> progress{};
};

/// The count of runs that were done.
struct StudyTally {
  std::size_t done = 0;  ///< All that are written, those without a plan included.
  std::size_t failed = 0;
  std::size_t crashed = 0;
};

/// Does the runs of a study that `numbers` name, in processes that each do some at a time, and puts
/// their results into `results` twice a second. A process that dies is replaced; a run in which two
/// died is recorded as crashed. On a stop, what is done is written. Fails where results cannot be
/// written, or workers die before they begin a run.
Result<StudyTally> runStudy(const StudyRuns& runs, const std::vector<std::size_t>& numbers,
                            StudyResults& results, const StudyWork& work);

/// The mean wall time of up to `most` of the runs, evenly apart, in this process, until `seconds`
/// are over; of at least one.
double secondsOfRun(const StudyRuns& runs, std::size_t most, double seconds);

/// The other side: reads what to run and writes what came of it, a line of JSON each, until there
/// is no more. A model is opened, rewritten and its storage shared once for all its runs that come
/// one after the other. False: the first line is no study.
bool workOnStudy(std::istream& in, std::ostream& out);

}  // namespace hw
