#pragma once

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/plan_file/plan_writer.h"

extern char** environ;

namespace hw::bench {

/// What a run of the whole program took, from its start to its end.
struct ProcessCost {
  double wall = 0;            ///< Seconds.
  double cpu = 0;             ///< Seconds, user and system.
  std::int64_t resident = 0;  ///< The most bytes resident at a time.
  std::int64_t peak = 0;      ///< Of the plan, bytes; 0 when there is none.
  std::int64_t lowerBound = 0;
  int status = -1;  ///< 0: done.
};

/// `highwater` beside this benchmark in the build folder.
inline std::string programPath() {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path().parent_path() / "app" / "cli" / "highwater").string();
}

/// The first whole number, digits grouped by commas, after `label` in `text`; 0 without any.
inline std::int64_t numberAfter(const std::string& text, const std::string& label) {
  const std::size_t at = text.find(label);
  if (at == std::string::npos) return 0;
  std::int64_t number = 0;
  std::size_t i = text.find_first_of("0123456789", at);
  for (; i < text.size() && (std::isdigit(text[i]) != 0 || text[i] == ','); ++i) {
    if (text[i] != ',') number = number * 10 + (text[i] - '0');
  }
  return number;
}

/// `highwater` with `words`, its output written to `output`.
inline ProcessCost runWhole(std::vector<std::string> words, const std::string& output) {
  const std::string program = programPath();
  words.insert(words.begin(), program);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // The peak of a child begins with that of its parent.
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  ProcessCost cost;
  const int failed =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  rusage usage{};
  if (failed != 0 || wait4(child, &cost.status, 0, &usage) != child) return cost;
  cost.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  cost.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  cost.resident = std::int64_t{usage.ru_maxrss} * 1024;
  return cost;
}

/// `highwater plan FILE` and `more` words, its report written to `report`.
inline ProcessCost planFile(const std::string& file, const std::string& report,
                            const std::vector<std::string>& more) {
  std::vector<std::string> words{"plan", file, "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  ProcessCost cost = runWhole(std::move(words), report);
  std::ifstream in(report);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  cost.peak = numberAfter(text, "\n  highest address ");
  cost.lowerBound = numberAfter(text, "lower bound of all pools");
  return cost;
}

/// The least wall time of several runs on `problem`, written to a file of the temporary folder.
inline ProcessCost planWhole(const Problem& problem, int repeats,
                             const std::vector<std::string>& more = {}) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path();
  const std::string file = (folder / "highwater_bench.csv").string();
  const std::string report = (folder / "highwater_bench.txt").string();
  std::ofstream out(file);
  writeProblem(problem, out);
  out.close();
  ProcessCost least = planFile(file, report, more);
  for (int i = 1; i < repeats; ++i) {
    const ProcessCost again = planFile(file, report, more);
    if (again.wall < least.wall) least = again;
  }
  fs::remove(file);
  fs::remove(report);
  return least;
}

}  // namespace hw::bench
