#pragma once

#include <string>
#include <vector>

#include "core/report/study/results.h"
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
  /// The number of shards that the folder was made for; fails where there is none.
  Result<std::size_t> shards() const;
  /// Of all of them.
  Result<std::vector<Unfinished>> unfinished() const;

  /// Gives the shards to Slurm as one array of tasks: `words` is the command of a task without its
  /// shard and file, `sbatch` what else sbatch is told. Returns the number of the job.
  Result<std::string> submit(const std::vector<std::string>& words, std::size_t shards,
                             const std::vector<std::size_t>& which,
                             const std::vector<std::string>& sbatch) const;
  /// The shards of the last job that wait or run; none where Slurm knows no such job any more.
  std::vector<std::size_t> queued() const;

 private:
  std::string folder_;
};

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
