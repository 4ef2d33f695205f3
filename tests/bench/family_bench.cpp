// The exact search on families of problems: how many are solved within a time, how fast, and how
// far from the bound it stays where not. A line for each family and number of threads.
// `family_bench [--seeds odd|even|all] [--seconds S] [--threads N] [--only NAME] [-o FILE]
// [--before FILE]`: -o keeps the table, --before compares with one that was kept.
//
// Even seeds are for tuning; odd ones, which nobody looks at meanwhile, decide.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/families/family.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/bench/machine.h"

using namespace hw;

namespace {

constexpr int kSeeds = 25;

struct Family {
  std::string_view name;
  std::string_view text;  ///< Without the seed.
  Retelling retelling{};
};

/// What was cut from a pool is asked whether it fits into it; of the others the lowest is wanted.
constexpr Family kFamilies[] = {
    {"cut 120", "guillotine:buffers=120"},
    {"cut 120, 5 % out", "guillotine:buffers=120,out=5"},
    {"cut 200, 3 % out", "guillotine:buffers=200,out=3"},
    {"cut 200, 8 % out", "guillotine:buffers=200,out=8"},
    {"cut 300, 5 % out", "guillotine:buffers=300,out=5"},
    {"cut 300, 10 % out", "guillotine:buffers=300,out=10"},
    {"cut 450, 5 % out", "guillotine:buffers=450,out=5"},
    {"cut 450, 10 % out", "guillotine:buffers=450,out=10"},
    {"cut anywhere 374, 10 % out",
     "guillotine:buffers=374,out=10,cuts=anywhere,height=64KiB,steps=1024,sizes=multiples",
     {.rows = RowOrder::shuffled}},
    {"spirals 120", "spirals:buffers=120"},
    {"spirals 200, 5 % out", "spirals:buffers=200,out=5"},
    {"spirals 300, 8 % out, backwards",
     "spirals:buffers=300,out=8",
     {.rows = RowOrder::shuffled, .backwards = true}},
    {"cut 4,500", "guillotine:buffers=4500", {.rows = RowOrder::shuffled}},
    {"spirals 4,000", "spirals:buffers=4000", {.rows = RowOrder::shuffled}},
    {"spirals 5,000", "spirals:buffers=5000", {.rows = RowOrder::shuffled}},
    {"powers 200, 5 % out", "guillotine:buffers=200,out=5,sizes=powers"},
    {"multiples 200, 5 % out", "guillotine:buffers=200,out=5,sizes=multiples"},
    {"coarse 300, 1/64", "guillotine:buffers=300,steps=100,heights=64,cuts=anywhere"},
    {"coarse 300, 1/1024, 2 % out",
     "guillotine:buffers=300,out=2,steps=100,heights=1024,cuts=anywhere"},
    {"coarse 500, 1/64, 2 % out",
     "guillotine:buffers=500,out=2,steps=100,heights=64,cuts=anywhere"},
    {"coarse 500, 1/256", "guillotine:buffers=500,steps=100,heights=256,cuts=anywhere"},
    {"coarse spirals 300, 1/256", "spirals:buffers=300,steps=100,heights=256"},
    {"coarse spirals 300, 1/1024", "spirals:buffers=300,steps=100,heights=1024"},
    {"coarse spirals 500, 1/1024", "spirals:buffers=500,steps=100,heights=1024"},
    {"chain 300", "chain:buffers=300"},
    {"skips 300", "skips:buffers=300"},
    {"branches 300, shuffled", "branches:buffers=300", {.rows = RowOrder::shuffled}},
    {"loop 400", "loop:buffers=400,sizes=multiples"},
    {"parameters 300", "parameters:buffers=300"},
    {"mixed 500, backwards", "mixed:buffers=500", {.backwards = true}},
    {"scattered 300", "scattered:buffers=300"},
};

struct Options {
  std::string seeds = "odd";
  std::string only;
  std::string file;
  std::string before;
  double seconds = 10;
  int threads = 1;
};

/// What came of the seeds of one family.
struct Tally {
  int tried = 0;
  int solved = 0;
  int proved = 0;
  int invalid = 0;
  std::vector<double> seconds;  ///< Of those solved.
  std::vector<double> ratios;   ///< Of the others: peak to what was asked for.

  void sort() {
    std::ranges::sort(seconds);
    std::ranges::sort(ratios);
  }
  /// The time within which a share of all seeds was solved; below 0: not so many were.
  double within(double share) const {
    const auto wanted = static_cast<std::size_t>(std::ceil(share * tried));
    return wanted > 0 && wanted <= seconds.size() ? seconds[wanted - 1] : -1;
  }
};

bool isAsked(const Options& options, int seed) {
  return options.seeds == "all" || (seed % 2 == 1) == (options.seeds == "odd");
}

void measure(const Family& family, int seed, const Options& options, Tally& tally) {
  const std::string text = fmt::format("{}{}seed={}", family.text, ',', seed);
  GeneratedProblem made = generateProblem(text);
  Retelling how = family.retelling;
  how.seed = static_cast<std::uint64_t>(seed);
  Problem problem = retold(made.problem, how);
  if (made.fits) problem.pools[PoolId(0)].capacity = made.fits;
  const Bytes wanted = made.fits.value_or(lowerBound(problem));
  const auto exact = AllocatorChoice::parse("exact");
  const auto start = std::chrono::steady_clock::now();
  const auto plan =
      exact->make()->plan(problem, {.threads = options.threads, .timeLimit = options.seconds});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ++tally.tried;
  const bool valid = plan && validate(problem, *plan, 1).empty();
  const Bytes peak = plan ? plan->footprint(PoolId(0)) : kMaxBytes;
  const bool optimal = plan && plan->status == PlanStatus::optimal;
  // Validate refuses a plan that is too high for its pool, which is what not solved means.
  if (valid && (peak <= wanted || (!made.fits && optimal))) {
    ++tally.solved;
    tally.proved += optimal ? 1 : 0;
    tally.seconds.push_back(took.count());
    return;
  }
  problem.pools[PoolId(0)].capacity.reset();
  if (!plan || !validate(problem, *plan, 1).empty()) ++tally.invalid;
  tally.ratios.push_back(static_cast<double>(peak.count()) / static_cast<double>(wanted.count()));
}

std::string timeText(double seconds) { return seconds < 0 ? "-" : fmt::format("{:.3f}", seconds); }

std::string line(const Family& family, const Options& options, const Tally& tally) {
  double mean = 0;
  for (const double ratio : tally.ratios) {
    mean += ratio / static_cast<double>(tally.ratios.size());
  }
  const std::string ratios =
      tally.ratios.empty() ? "- | -" : fmt::format("{:.4f} | {:.4f}", mean, tally.ratios.back());
  return fmt::format("| {} | {} | {}/{} | {} | {} | {} | {} | {} | {} |", family.name,
                     options.threads, tally.solved, tally.tried, tally.proved,
                     timeText(tally.within(0.5)), timeText(tally.within(0.95)),
                     timeText(tally.within(1)), ratios,
                     tally.invalid == 0 ? "yes" : fmt::format("{} NOT", tally.invalid));
}

constexpr std::string_view kHead =
    "| family | threads | solved | proved | 50 % s | 95 % s | all s | mean ratio where not | worst "
    "| valid |\n|---|---|---|---|---|---|---|---|---|---|\n";

/// "name | threads" and what follows, of every line of a table that was kept.
std::map<std::string, std::string> kept(const std::string& file) {
  std::map<std::string, std::string> lines;
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    const std::size_t name = text.find(" | ");
    const std::size_t threads = name == std::string::npos ? name : text.find(" | ", name + 3);
    if (threads != std::string::npos) lines[text.substr(0, threads)] = text.substr(threads);
  }
  return lines;
}

Options readOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    if (key == "--seeds") options.seeds = argv[i + 1];
    if (key == "--seconds") options.seconds = std::strtod(argv[i + 1], nullptr);
    if (key == "--threads") options.threads = std::atoi(argv[i + 1]);
    if (key == "--only") options.only = argv[i + 1];
    if (key == "-o") options.file = argv[i + 1];
    if (key == "--before") options.before = argv[i + 1];
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  const auto before = kept(options.before);
  std::string table(kHead);
  fmt::print("{}", kHead);
  for (const Family& family : kFamilies) {
    if (family.name.find(options.only) == std::string_view::npos) continue;
    Tally tally;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      if (isAsked(options, seed)) measure(family, seed, options, tally);
    }
    tally.sort();
    const std::string text = line(family, options, tally);
    table += text + '\n';
    fmt::print("{}\n", text);
    const auto found = before.find(text.substr(0, text.find(" | ", text.find(" | ") + 3)));
    if (found != before.end()) fmt::print("    before: {}\n", found->second);
    std::fflush(stdout);
  }
  if (!options.file.empty()) {
    std::ofstream out(options.file);
    out << fmt::format("<!-- {}; seeds {}, {:g} s each -->\n", bench::machine(), options.seeds,
                       options.seconds)
        << table;
  }
  return 0;
}
