#pragma once

#include <string>
#include <vector>

#include "core/report/study/results.h"
#include "core/study/study.h"
#include "core/study/study_runs.h"

namespace hw {

/// One of several parts of a study, each with a file of results of its own.
struct Shard {
  std::size_t number = 1;  ///< 1 to `of`.
  std::size_t of = 1;

  /// "3/8". Fails where that is no part.
  static Result<Shard> parse(const std::string& text);
  /// Of the runs of a study: those beside each other, so that few models are opened twice.
  Interval<std::size_t> runsOf(std::size_t count) const {
    return {(number - 1) * count / of, number * count / of};
  }
};

/// Writes how far a shard is, in words, into the file beside its results, whole or not at all.
Result<void> writeShardStatus(const std::string& results, std::size_t done, std::size_t of);

/// A study on a cluster: a folder beside the file of results, with a file for each shard, its
/// status and its log, and the job of the cluster.
class ShardFolder {
 public:
  explicit ShardFolder(const std::string& results) : folder_(results + ".shards") {}

  const std::string& path() const { return folder_; }
  std::string file(std::size_t shard) const;
  std::string log(std::size_t shard) const;

  /// A shard that has not done all of its runs, and what is known of it.
  struct Unfinished {
    std::size_t shard = 0;
    std::string status{};
  };
  /// Of all that the folder was made for; fails where there is none.
  Result<std::vector<Unfinished>> unfinished() const;
  /// The shards that wait or run in Slurm; none where it knows no such job any more.
  std::vector<std::size_t> queued() const;

 private:
  std::string folder_;
};

/// A study for Slurm: one array of tasks, each of which runs a shard.
struct SlurmRequest {
  std::string study{};  ///< Its file, which every task reads.
  std::string results{};
  std::string program{};  ///< The path of `highwater`, as a task finds it.
  int threads = 1;        ///< Of each task.
  Plugins plugins = Plugins::refuse;
  std::string sbatch{};   ///< Further options of sbatch, with spaces between them.
  std::size_t tasks = 0;  ///< 0: about a minute each, for which some runs are timed.
  bool resume = false;    ///< Of a job that was given: only shards that are not done, wait or run.
};

/// A job of Slurm as it was given.
struct SlurmJob {
  std::string id{};       ///< Empty: no task is to be run.
  std::size_t tasks = 0;  ///< Of this job.
};

/// Gives the runs of a study, whose text is `text`, to Slurm, and makes its file of results. Fails
/// where there are results that `resume` does not go on with, and where Slurm refuses.
Result<SlurmJob> giveToSlurm(const StudyRuns& runs, const std::string& text,
                             const SlurmRequest& request);

/// All that was merged from other files of results, and what could not be.
struct Collected {
  std::size_t files = 0;
  std::size_t rows = 0;
  std::vector<std::string> failures{};
};

/// Merges files, or all of a folder that end in .db, into results. Files that are cut short, and
/// others, are named and left out.
Result<Collected> collect(const std::vector<std::string>& paths, StudyResults& results);

}  // namespace hw
