// Problems with reuse penalties by `best:for=penalty`, one thread. `penalty_bench [SECONDS
// [FILE…]]`: each of the files, or of the MiniMalloc problems of the corpus, in so many seconds (60
// if not given), with the lower bound; without files also all soft problems of the corpus in 10
// seconds each, as one line: sum of costs, proved, slowest.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "core/allocators/catalog.h"
#include "core/plan/constraint_use.h"
#include "tests/bench/corpus_problems.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;
namespace fs = std::filesystem;

namespace {

struct Priced {
  PlanStatus status = PlanStatus::stopped;
  bool fits = false;
  std::int64_t cost = 0;
  std::int64_t bound = 0;
  double seconds = 0;

  bool settled() const { return status == PlanStatus::infeasible || (fits && cost == bound); }
};

std::optional<Priced> price(const fs::path& file, double seconds) {
  const auto problem = bench::loadProblem(file);
  const auto choice = AllocatorChoice::parse("best:for=penalty");
  if (!problem || !choice) return std::nullopt;
  const bench::CpuTimer timer;
  const auto plan = choice->make()->plan(*problem, {.timeLimit = seconds, .story = false});
  if (!plan) {
    fmt::print("{}: {}\n", file.filename().string(), plan.error().text());
    return std::nullopt;
  }
  return Priced{.status = plan->status,
                .fits = fits(*problem, *plan),
                .cost = penaltyOf(*problem, *plan),
                .bound = plan->penaltyBound.value_or(0),
                .seconds = timer.seconds()};
}

void priceEach(const std::vector<fs::path>& files, double seconds) {
  /// The best costs known of the published set: of its own solvers, August 2026.
  static const std::map<std::string, int> kPublished = {
      {"A", 285}, {"B", 329}, {"C", 365}, {"D", 248}, {"E", 403}, {"F", 129},
      {"G", 450}, {"H", 474}, {"I", 902}, {"J", 572}, {"K", 1408}};
  for (const fs::path& file : files) {
    const auto found = price(file, seconds);
    if (!found) continue;
    const auto known = kPublished.find(file.stem().string());
    fmt::print("{}: {}{}, at least {}, {:.1f} s of the processor{}\n", file.stem().string(),
               found->fits ? "" : "does not fit, ", found->cost, found->bound, found->seconds,
               known == kPublished.end() ? "" : fmt::format("; published {}", known->second));
  }
}

void priceAll(const std::vector<fs::path>& files) {
  constexpr double kMostSeconds = 10;
  std::int64_t sum = 0;
  int settled = 0;
  int impossible = 0;
  double slowest = 0;
  for (const fs::path& file : files) {
    const auto found = price(file, kMostSeconds);
    if (!found) continue;
    const bool no = found->status == PlanStatus::infeasible;
    impossible += no ? 1 : 0;
    settled += found->settled() ? 1 : 0;
    if (!no) sum += found->cost;
    slowest = std::max(slowest, found->seconds);
  }
  fmt::print(
      "soft problems: {} of {} proved, {} of them that no plan exists; costs of {} together, "
      "{:.2f} s at most\n",
      settled, files.size(), impossible, sum, slowest);
}

}  // namespace

int main(int count, char** words) {
  const double seconds = count > 1 ? std::atof(words[1]) : 60;
  std::vector<fs::path> files(words + std::min(count, 2), words + count);
  if (files.empty()) {
    priceAll(bench::corpusFiles("constraints/dsa-rp", ".json"));
    files = bench::corpusFiles("constraints/minimalloc-dsa-rp", ".json");
  }
  priceEach(files, seconds);
  return 0;
}
