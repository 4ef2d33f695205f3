#include "core/report/study/study_shards.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/files/file.h"
#include "core/files/process.h"
#include "core/report/study/study_engine.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

constexpr double kSlurmSeconds = 120;
constexpr std::size_t kMostStatus = 10'000;

/// Standard output of a command of Slurm; fails with what it says.
Result<std::string> ask(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"/usr/bin/env"};
  command.insert(command.end(), words.begin(), words.end());
  HW_TRY(finished, runProgram(command, "", kSlurmSeconds, {}));
  if (finished.exitCode != 0 || finished.signal != 0 || finished.timedOut) {
    const std::string said(trimText(finished.errors));
    return fail(ErrorCode::unreadable,
                fmt::format("{} failed: {}", words.front(),
                            said.empty() ? "it said nothing" : printable(said, 1000)));
  }
  return std::string(trimText(finished.output));
}

/// "jobs shards", as the folder keeps it.
struct Job {
  std::string ids{};  ///< Of the first one and of those that ran shards again, with commas.
  std::size_t shards = 0;
};

Result<Job> jobOf(const std::string& folder) {
  HW_TRY(text, readFile(folder + "/job", kMostStatus));
  const auto words = splitText(trimText(text), ' ');
  const auto shards = words.size() == 2 ? parseInteger(words[1]) : std::nullopt;
  if (!shards || *shards < 1) {
    return fail(ErrorCode::malformed, folder + "/job: expected the number of a job and of shards");
  }
  return Job{std::string(words[0]), static_cast<std::size_t>(*shards)};
}

std::size_t shardsOfAMinute(const StudyRuns& runs) {
  constexpr std::size_t kTimed = 20;
  constexpr double kSeconds = 5;
  constexpr double kMinute = 60;
  constexpr double kMost = 1000;
  const double all = secondsOfRun(runs, kTimed, kSeconds) * static_cast<double>(runs.size());
  return std::min(runs.size(), static_cast<std::size_t>(std::clamp(all / kMinute, 1.0, kMost)));
}

/// The script that each task runs.
std::string taskScript(const SlurmRequest& request, std::size_t shards, const std::string& folder) {
  std::vector<std::string> words = {request.program, "sweep", fs::absolute(request.study).string(),
                                    "--threads", std::to_string(request.threads)};
  if (request.plugins == Plugins::allow) words.insert(words.end(), {"--plugins", "allow"});
  return fmt::format(
      "#!/bin/sh\nexec {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --resume "
      "-o {}/shard-\"$SLURM_ARRAY_TASK_ID\".db\n",
      shellWords(words), shards, shellWord(folder));
}

/// Gives shards to Slurm as one array of tasks, and notes its number behind those in `job`.
Result<SlurmJob> submit(const SlurmRequest& request, const Job& job,
                        const std::vector<std::size_t>& which) {
  const std::string folder = fs::absolute(ShardFolder(request.results).path()).string();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::unreadable, folder + ": " + error.message());
  HW_DO(writeFile(folder + "/task.sh", taskScript(request, job.shards, folder)));
  std::string array = fmt::format("{}", fmt::join(which, ","));
  if (which.size() == job.shards) array = fmt::format("1-{}", job.shards);
  std::vector<std::string> command = {"sbatch", "--parsable", "--array=" + array,
                                      "--output=" + folder + "/shard-%a.log",
                                      "--job-name=highwater"};
  for (const std::string_view word : splitText(request.sbatch, ' ')) {
    if (!word.empty()) command.emplace_back(word);
  }
  command.push_back(folder + "/task.sh");
  HW_TRY(said, ask(command));
  const std::string id = said.substr(0, said.find(';'));  // Behind it is the cluster.
  HW_DO(writeFile(folder + "/job",
                  fmt::format("{}{}{} {}\n", job.ids, job.ids.empty() ? "" : ",", id, job.shards)));
  return SlurmJob{id, which.size()};
}

}  // namespace

Result<Shard> Shard::parse(const std::string& text) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto parts = splitText(text, '/');
  const auto number = parts.size() == 2 ? parseInteger(parts[0]) : std::nullopt;
  const auto of = parts.size() == 2 ? parseInteger(parts[1]) : std::nullopt;
  if (!number || !of || *of < 1 || *of > kMost || *number < 1 || *number > *of) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' is no shard: expected I/N, 1/8 to 8/8", printable(text, 40)));
  }
  return Shard{static_cast<std::size_t>(*number), static_cast<std::size_t>(*of)};
}

Result<void> writeShardStatus(const std::string& results, std::size_t done, std::size_t of) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string text = done == of ? fmt::format("done: {} of {} runs\n", done, of)
                                      : fmt::format("running: {} of {} runs, on {} as process {}\n",
                                                    done, of, host, getpid());
  return writeFile(fs::path(results).replace_extension(".status").string(), text);
}

std::string ShardFolder::file(std::size_t shard) const {
  return fmt::format("{}/shard-{}.db", folder_, shard);
}

std::string ShardFolder::log(std::size_t shard) const {
  return fmt::format("{}/shard-{}.log", folder_, shard);
}

Result<std::vector<ShardFolder::Unfinished>> ShardFolder::unfinished() const {
  HW_TRY(job, jobOf(folder_));
  std::vector<Unfinished> left;
  for (std::size_t shard = 1; shard <= job.shards; ++shard) {
    const auto status =
        readFile(fs::path(file(shard)).replace_extension(".status").string(), kMostStatus);
    const std::string text(status ? trimText(*status) : "not begun");
    if (!text.starts_with("done")) left.push_back({shard, printable(text)});
  }
  return left;
}

std::vector<std::size_t> ShardFolder::queued() const {
  std::vector<std::size_t> shards;
  const auto job = jobOf(folder_);
  const auto said =
      job ? ask({"squeue", "--noheader", "--array", "--jobs=" + job->ids, "--format=%K"})
          : Result<std::string>(fail(ErrorCode::unreadable, ""));
  if (!said) return shards;
  for (const std::string_view line : splitText(*said, '\n')) {
    if (const auto shard = parseInteger(trimText(line))) {
      shards.push_back(static_cast<std::size_t>(*shard));
    }
  }
  return shards;
}

Result<SlurmJob> giveToSlurm(const StudyRuns& runs, const std::string& text,
                             const SlurmRequest& request) {
  const ShardFolder folder(request.results);
  Job job{.shards = request.tasks};
  std::vector<std::size_t> which;
  if (request.resume && fs::exists(folder.path() + "/job")) {
    HW_TRY(known, jobOf(folder.path()));
    HW_TRY(left, folder.unfinished());
    job = known;
    const std::vector<std::size_t> queued = folder.queued();
    for (const auto& each : left) {
      if (std::ranges::find(queued, each.shard) == queued.end()) which.push_back(each.shard);
    }
  } else {
    // The file of results is made now, so that a second study cannot take its place.
    HW_DO(StudyResults::write(request.results, runs, text, request.resume));
    if (job.shards == 0) job.shards = shardsOfAMinute(runs);
    for (std::size_t i = 1; i <= job.shards; ++i) which.push_back(i);
  }
  if (which.empty()) return SlurmJob{};
  return submit(request, job, which);
}

Result<Collected> collect(const std::vector<std::string>& paths, StudyResults& results) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (entry.path().extension() == ".db") files.push_back(entry.path().string());
    }
    if (error) return fail(ErrorCode::unreadable, path + ": " + error.message());
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  Collected collected;
  for (const std::string& file : files) {
    const auto rows = results.merge(file);
    if (rows) {
      ++collected.files;
      collected.rows += *rows;
    } else {
      collected.failures.push_back(rows.error().text());
    }
  }
  return collected;
}

}  // namespace hw
