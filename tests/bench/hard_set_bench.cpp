// The hard set at 1 MiB by `exact`, one thread, each problem told in six ways: seconds of processor
// time, and how many times faster than MiniMalloc where its time is known, of the search and of
// whole processes. A line for each problem. `hard_set_bench [--least SECONDS] [FILE…]`: without
// files, those of the corpus; the published set has four more. --least asks for the least capacity
// in that time instead, and prints the peaks.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>

#include "core/families/family.h"
#include "core/solver/exact/exact.h"
#include "tests/bench/corpus_problems.h"
#include "tests/bench/cpu_timer.h"
#include "tests/bench/whole_process.h"

using namespace hw;
namespace fs = std::filesystem;

namespace {

constexpr Bytes kCapacity{1 << 20};
constexpr double kMostSeconds = 10;
constexpr int kRepeats = 3;  ///< Of whole processes: the machine is never quite idle.

constexpr Retelling kTellings[] = {{},
                                   {.rows = RowOrder::reversed},
                                   {.rows = RowOrder::shuffled, .seed = 2},
                                   {.rows = RowOrder::shuffled, .seed = 3},
                                   {.backwards = true},
                                   {.rows = RowOrder::shuffled, .backwards = true, .seed = 5}};

/// What came of all tellings.
struct Sum {
  double slowest = 0;
  double logarithms = 0;       ///< Of how many times faster than MiniMalloc.
  double wholeLogarithms = 0;  ///< The same of whole processes.
  double leastWhole = std::numeric_limits<double>::max();
  int known = 0;
  int missed = 0;
};

/// "A" of "minimalloc_A.1048576.csv".
std::string letterOf(const fs::path& file) {
  const std::string stem = file.stem().string();
  return stem.substr(stem.starts_with("minimalloc_") ? 11 : 0, 1);
}

void askCapacity(const fs::path& file, const Problem& problem, Sum& sum) {
  double slowest = 0;
  double all = 0;
  int fits = 0;
  const auto& peers = bench::miniMallocSeconds();
  const auto peer = peers.find("minimalloc_" + letterOf(file));
  for (const Retelling& how : kTellings) {
    const Problem told = retold(problem, how);
    const bench::CpuTimer timer;
    const ExactResult found =
        solveExact(told, PoolId(0), {.capacity = kCapacity, .seconds = kMostSeconds, .threads = 1});
    const double seconds = timer.seconds();
    fits += found.incumbent <= kCapacity ? 1 : 0;
    slowest = std::max(slowest, seconds);
    all += seconds;
    if (peer == peers.end()) continue;
    sum.logarithms += std::log(peer->second / seconds);
    ++sum.known;
    const double whole =
        peer->second / bench::planWhole(told, kRepeats, {"-a", "exact", "--l2", "1MiB"}).wall;
    sum.wholeLogarithms += std::log(whole);
    sum.leastWhole = std::min(sum.leastWhole, whole);
  }
  sum.slowest = std::max(sum.slowest, slowest);
  const int tellings = static_cast<int>(std::size(kTellings));
  sum.missed += tellings - fits;
  fmt::print("{}: {} of {} fit, {:.4f} s on average, {:.4f} s at most\n", letterOf(file), fits,
             tellings, all / tellings, slowest);
}

void askLeast(const fs::path& file, const Problem& problem, double seconds) {
  std::vector<std::int64_t> peaks;
  for (const Retelling& how : kTellings) {
    const ExactResult found =
        solveExact(retold(problem, how), PoolId(0), {.seconds = seconds, .threads = 1});
    peaks.push_back(found.incumbent.count());
  }
  fmt::print("{}: {} in {:g} s\n", letterOf(file), fmt::join(peaks, ", "), seconds);
}

}  // namespace

int main(int argc, char** argv) {
  double least = 0;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--least" && i + 1 < argc) {
      least = std::strtod(argv[++i], nullptr);
    } else {
      files.emplace_back(argv[i]);
    }
  }
  if (files.empty()) files = bench::corpusFiles("csv");
  Sum sum;
  for (const fs::path& file : files) {
    if (file.filename().string().find(".1048576.") == std::string::npos) continue;
    const auto problem = bench::loadProblem(file);
    if (!problem) continue;
    if (least > 0) {
      askLeast(file, *problem, least);
    } else {
      askCapacity(file, *problem, sum);
    }
    std::fflush(stdout);
  }
  if (sum.known > 0) {
    fmt::print("all: {} missed, {:.4f} s at most, {:.0f} times as fast as MiniMalloc\n", sum.missed,
               sum.slowest, std::exp(sum.logarithms / sum.known));
    fmt::print("whole processes: {:.0f} times as fast, {:.0f} times at least\n",
               std::exp(sum.wholeLogarithms / sum.known), sum.leastWhole);
  }
  return 0;
}
