// The planners on every problem of the corpus and on the synthetic kinds: peak, ratio to the lower
// bound, seconds and proof, every plan validated. Prints a table; with -o it also writes
// docs/benchmarks.md. `solver_bench [-o FILE] [--commit ID] [--seconds S] [--stays MOST]`.

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "core/allocators/catalog.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/solver/fast/fast_search.h"
#include "tests/bench/corpus_problems.h"
#include "tests/bench/cpu_timer.h"
#include "tests/bench/machine.h"
#include "tests/bench/whole_process.h"
#include "tests/support/synthetic_problems.h"

using namespace hw;
namespace fs = std::filesystem;

namespace {

constexpr int kRepeats = 3;  ///< Of whole processes: the machine is never quite idle.

struct Options {
  std::string file;
  std::string commit = "unknown";
  double seconds = 10;
  std::size_t stays = 1'000'000;
};

struct Row {
  std::string instance;
  std::size_t stays = 0;
  Bytes bound{};
  std::string method;
  Bytes peak{};
  double wall = 0;
  double cpu = 0;  ///< Of the calling thread.
  std::string proof;
  bool valid = false;

  double ratio() const {
    return bound == Bytes()
               ? 1
               : static_cast<double>(peak.count()) / static_cast<double>(bound.count());
  }
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string line(const Row& row) {
  return fmt::format("| {} | {} | {} | {} | {} | {:.4f} | {:.4f} | {:.4f} | {} | {} |",
                     row.instance, row.stays, row.bound.count(), row.method, row.peak.count(),
                     row.ratio(), row.wall, row.cpu, row.proof, row.valid ? "yes" : "NO");
}

constexpr std::string_view kHead =
    "| instance | stays | lower bound | method | peak | ratio | wall s | CPU s | status | valid |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n";

Row measureOne(const std::string& instance, const Problem& problem, const std::string& method,
               const PlanContext& context = {}) {
  Row row{.instance = instance,
          .stays = problem.stays.size(),
          .bound = lowerBound(problem),
          .method = method,
          .proof = {}};
  const auto choice = AllocatorChoice::parse(method);
  if (!choice) {
    row.proof = choice.error().text();
    return row;
  }
  if (context.timeLimit > 0) row.method += fmt::format(", {:g} s", context.timeLimit);
  if (context.threads > 1) row.method += fmt::format(", {} threads", context.threads);
  const bench::CpuTimer timer;
  const double start = now();
  const auto plan = choice->make()->plan(problem, context);
  row.wall = now() - start;
  row.cpu = timer.seconds();
  if (!plan) {
    row.proof = plan.error().text();
    return row;
  }
  for (const PoolId pool : plan->regions.keys()) row.peak += plan->footprint(pool);
  row.proof = statusName(plan->status);
  row.valid = validate(problem, *plan, 1).empty();
  fmt::print("{}\n", line(row));
  std::fflush(stdout);
  return row;
}

std::string bar(std::string_view what, std::string_view wanted, const std::string& measured,
                bool met) {
  return fmt::format("| {} | {} | {} | {} |\n", what, wanted, measured, met ? "met" : "NOT MET");
}

/// The skyline alone on one synthetic problem: one packing, no story, no judge.
std::string packingLine(const std::string& instance, const Problem& problem) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // From here on the peak counts anew.
  const std::int64_t before = bench::memory("VmRSS:");
  const bench::CpuTimer timer;
  const double start = now();
  const Rectangles rectangles = rectanglesOf(problem, PoolId(0));
  const Bytes bound = loadBound(rectangles);
  const FastResult found = searchFast(rectangles, {.moves = 1, .bound = bound});
  const double wall = now() - start;
  const double cpu = timer.seconds();
  const auto stays = static_cast<std::int64_t>(problem.stays.size());
  const double ratio = static_cast<double>(found.peak.count()) / static_cast<double>(bound.count());
  const std::int64_t bytes = (bench::memory("VmHWM:") - before) / std::max<std::int64_t>(1, stays);
  const std::string text = fmt::format("| {} | {} | {:.4f} | {:.3f} | {:.3f} | {} |", instance,
                                       stays, ratio, wall, cpu, bytes);
  fmt::print("{}\n", text);
  return text;
}

/// `highwater plan` on a file of that problem, from the start of the process to its end.
std::string wholeLine(const std::string& kind, std::uint64_t seed, const Problem& problem,
                      std::string& bars) {
  const bench::ProcessCost cost = bench::planWhole(problem, kRepeats);
  const auto stays = static_cast<std::int64_t>(problem.stays.size());
  const double ratio = static_cast<double>(cost.peak) /
                       static_cast<double>(std::max<std::int64_t>(1, cost.lowerBound));
  const std::int64_t bytes = cost.resident / std::max<std::int64_t>(1, stays);
  const std::string text = fmt::format("| {} | {} | {} | {:.4f} | {:.2f} | {:.2f} | {} |", kind,
                                       seed, stays, ratio, cost.wall, cost.cpu, bytes);
  const bool wanted = stays == 1'000'000 && seed == 1;
  if (wanted) {
    const double most = kind == "rand" ? 1.02 : kind == "infer" ? 1 : 1.15;
    const double limit = kind == "rand" ? 1.5 : kind == "infer" ? 1 : 2;
    bars += bar("1M " + kind + ", whole process",
                fmt::format("ratio <= {} in {} s, 400 bytes a buffer", most, limit),
                fmt::format("{:.4f} in {:.2f} s ({:.2f} s of CPU), {} bytes", ratio, cost.wall,
                            cost.cpu, bytes),
                cost.peak > 0 && ratio <= most && cost.wall <= limit && bytes <= 400);
  }
  fmt::print("{}\n", text);
  std::fflush(stdout);
  return text;
}

struct Report {
  std::string bars;
  std::string capacity;   ///< The hard set, does it fit into 1 MiB?
  std::string minimise;   ///< corpus/csv.
  std::string problems;   ///< corpus/problems, in sum.
  std::string synthetic;  ///< The three kinds through the allocator.
  std::string packing;    ///< The three kinds, skyline alone.
  std::string whole;      ///< The three kinds, the whole program.
};

/// The hard set at 1 MiB, in sum.
struct HardSet {
  double slowest[2] = {0, 0};  ///< With one thread, with two.
  double logarithms = 0;       ///< Of how many times faster than MiniMalloc, the better of the two.
  int problems = 0;
};

void benchCapacity(const std::string& name, Problem problem, HardSet& hard, Report& report) {
  const auto peer = bench::miniMallocSeconds().find(name.substr(0, name.find('.')));
  if (peer == bench::miniMallocSeconds().end()) return;
  problem.pools[PoolId(0)].capacity = Bytes(1 << 20);
  double best = 1e9;
  for (const int threads : {1, 2}) {
    const Row row = measureOne(name, problem, "exact", {.threads = threads});
    double& slowest = hard.slowest[threads - 1];
    slowest = std::max(slowest, row.wall);
    best = std::min(best, row.wall);
    report.capacity +=
        fmt::format("| {} | {} | {} | {:.4f} | {:.2f} | {:.0f} | {} |\n", name, threads, row.proof,
                    row.wall, peer->second, peer->second / row.wall, row.valid ? "yes" : "NO");
  }
  hard.logarithms += std::log(peer->second / best);
  ++hard.problems;
}

/// What `best` is to do by itself on the larger files.
void addFileBar(const Row& row, Report& report) {
  const bool pangu = row.instance == "somas_pangu_2.6B";
  if (!pangu && row.instance != "somas_resnet50" && row.instance != "iopddl_G_1") return;
  const double ratio = pangu ? 1.0076 : 1;
  const double wall = pangu ? 1 : 0.05;
  report.bars += bar(row.instance, fmt::format("ratio <= {} in {} s", ratio, wall),
                     fmt::format("{:.5f} in {:.3f} s", row.ratio(), row.wall),
                     row.ratio() <= ratio && row.wall <= wall);
}

/// What `best` is to do in the time given on the hard set and on the largest file.
void addTimedBar(const Row& row, Report& report) {
  static const std::map<std::string, std::int64_t> kMost = {{"minimalloc_D.1048576", 1'005'000},
                                                            {"minimalloc_J.1048576", 1'015'000}};
  const auto most = kMost.find(row.instance);
  const std::string measured =
      fmt::format("{} ({}) in {:.2f} s", row.peak.count(), row.proof, row.wall);
  if (most != kMost.end()) {
    report.bars += bar(row.instance + ", minimise", fmt::format("<= {} in 10 s", most->second),
                       measured, row.peak <= Bytes(most->second));
  } else if (bench::miniMallocSeconds().contains(row.instance.substr(0, row.instance.find('.')))) {
    report.bars += bar(row.instance + ", minimise", "proved optimal in 5 s", measured,
                       row.proof == "optimal" && row.wall <= 5);
  }
}

void addHardBars(const HardSet& hard, Report& report) {
  if (hard.problems == 0) return;
  const double faster = std::exp(hard.logarithms / hard.problems);
  report.bars += bar("hard set at 1 MiB, one thread", "<= 0.2 s each",
                     fmt::format("{:.3f} s", hard.slowest[0]), hard.slowest[0] <= 0.2);
  report.bars += bar("hard set at 1 MiB, two threads", "<= 0.1 s each",
                     fmt::format("{:.3f} s", hard.slowest[1]), hard.slowest[1] <= 0.1);
  report.bars += bar("hard set, planning call against MiniMalloc's whole process, geometric mean",
                     ">= 100 times faster", fmt::format("{:.0f} times", faster), faster >= 100);
}

void benchFiles(const Options& options, Report& report) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  HardSet hard;
  for (const fs::path& path : bench::corpusFiles("csv")) {
    const auto problem = bench::loadProblem(path);
    if (!problem) continue;
    const std::string name = path.stem().string();
    benchCapacity(name, *problem, hard, report);
    for (const char* method : {"greedy-by-size", "fast", "best"}) {
      const Row row = measureOne(name, *problem, method);
      report.minimise += line(row) + '\n';
      if (row.method == "best") addFileBar(row, report);
    }
    if (options.seconds <= 0) continue;
    const PlanContext timed{.threads = cores, .timeLimit = options.seconds};
    const Row row = measureOne(name, *problem, "best", timed);
    report.minimise += line(row) + '\n';
    addTimedBar(row, report);
  }
  addHardBars(hard, report);
}

void benchProblems(Report& report) {
  std::size_t count = 0;
  std::size_t optimal = 0;
  std::size_t valid = 0;
  Row worst;
  Row slowest;
  double total = 0;
  for (const fs::path& path : bench::corpusFiles("problems")) {
    const auto problem = bench::loadProblem(path);
    if (!problem || problem->stays.empty()) continue;
    const Row row = measureOne(path.stem().string(), *problem, "best");
    ++count;
    optimal += row.peak == row.bound ? 1 : 0;
    valid += row.valid ? 1 : 0;
    total += row.wall;
    if (count == 1 || row.ratio() > worst.ratio()) worst = row;
    if (count == 1 || row.wall > slowest.wall) slowest = row;
  }
  if (count == 0) return;
  report.problems = fmt::format(
      "{} problems, all in one process with `best`: {} at the lower bound, {} plans valid, worst "
      "ratio {:.4f}\n({}), slowest {:.4f} s ({}), together {:.3f} s.\n",
      count, optimal, valid, worst.ratio(), worst.instance, slowest.wall, slowest.instance, total);
  report.bars += bar("corpus/problems", "the bound, <= 0.02 s each",
                     fmt::format("{} of {}, at most {:.4f} s", optimal, count, slowest.wall),
                     optimal == count && slowest.wall <= 0.02);
  fmt::print("{}", report.problems);
}

void benchSynthetic(const Options& options, Report& report) {
  struct Kind {
    const char* name;
    Problem (*make)(std::size_t, std::uint64_t);
  };
  for (const Kind& kind : {Kind{"rand", test::randProblem}, Kind{"infer", test::inferProblem},
                           Kind{"tile", test::tileProblem}}) {
    for (std::size_t stays = 10'000; stays <= options.stays; stays *= 10) {
      const Problem problem = kind.make(stays, 1);
      report.packing += packingLine(kind.name, problem) + '\n';
      report.whole += wholeLine(kind.name, 1, problem, report.bars) + '\n';
      report.synthetic += line(measureOne(kind.name, problem, "best")) + '\n';
    }
    for (const std::uint64_t seed : {2, 3}) {
      report.whole +=
          wholeLine(kind.name, seed, kind.make(options.stays, seed), report.bars) + '\n';
    }
  }
}

void write(const Options& options, const Report& report) {
  std::ofstream out(options.file);
  double load = 0;
  getloadavg(&load, 1);
  fmt::print(out,
             "# Benchmarks\n\nWritten by `solver_bench -o docs/benchmarks.md`; commit {}, {}, {} "
             "cores. Ratio = peak / lower bound. Every plan\nwas checked by `validate`, which "
             "shares no code with the planners. Wall time is of the planning call; on a busy\n"
             "machine CPU time (of the calling thread) tells more: load {:.1f}. See [families]"
             "(solver.md#figures).\n\n",
             options.commit, bench::machine(), std::thread::hardware_concurrency(), load);
  fmt::print(
      out,
      "## Bars\n\nWall time of the planning call; where it says whole process, of `highwater plan "
      "FILE.csv`, from start to end, the least of {} runs.\n\n| what | wanted | measured | |\n"
      "|---|---|---|---|\n{}\n",
      kRepeats, report.bars);
  fmt::print(
      out,
      "## The hard set: does it fit into 1 MiB?\n\n`exact` with that capacity: wall time of the "
      "planning call. MiniMalloc's seconds are those of its whole process on a machine like\n"
      "this one; [whole against whole](solver.md#figures).\n\n| instance | "
      "threads | status | wall s | MiniMalloc s | times faster | valid |\n|---|---|---|---|"
      "---|---|---|\n{}\n",
      report.capacity);
  fmt::print(out, "## As low as possible: the corpus\n\n{}{}\n", kHead, report.minimise);
  fmt::print(out, "## Problems of real models\n\n{}\n", report.problems);
  fmt::print(out,
             "## Synthetic kinds, one packing\n\nThe skyline alone: arrays, bound, one packing by "
             "size x length. Memory is the rise of the peak resident set,\nthe problem itself "
             "not counted.\n\n| kind | stays | ratio | wall s | CPU s | bytes a stay |\n|---|---|"
             "---|---|---|---|\n{}\n",
             report.packing);
  fmt::print(
      out,
      "## Synthetic kinds, the whole program\n\n`highwater plan FILE.csv` with the defaults: "
      "reading, `best`, the judge, figures and report. Bytes are the most\nresident at a time. "
      "Least wall time of {} runs.\n\n| kind | seed | stays | ratio | wall s | CPU s | bytes a "
      "stay |\n|---|---|---|---|---|---|---|\n{}\n",
      kRepeats, report.whole);
  fmt::print(out,
             "## Synthetic kinds, `best`\n\nThe whole call: search, the story of every placement, "
             "validation.\n\n{}{}",
             kHead, report.synthetic);
}

Options readOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    if (key == "-o") options.file = argv[i + 1];
    if (key == "--commit") options.commit = argv[i + 1];
    if (key == "--seconds") options.seconds = std::strtod(argv[i + 1], nullptr);
    if (key == "--stays") options.stays = std::strtoull(argv[i + 1], nullptr, 10);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  Report report;
  fmt::print("{}", kHead);
  benchFiles(options, report);
  benchProblems(report);
  benchSynthetic(options, report);
  if (!options.file.empty()) write(options, report);
  return 0;
}
