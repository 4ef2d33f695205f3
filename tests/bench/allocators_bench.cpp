// Every allocator on the synthetic kinds: seconds of CPU, and the peak over the lower bound. All
// but the searches are to take at most 0.2 s for 10,000 stays; the searches, at most a tenth longer
// than they were given. `allocators_bench [stays] [allocator]`.

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/allocators/catalog.h"
#include "core/plan/metrics.h"
#include "tests/bench/cpu_timer.h"
#include "tests/support/synthetic_problems.h"

using namespace hw;

namespace {

constexpr double kSearchSeconds = 0.5;
constexpr double kSeconds = 0.2;

struct Kind {
  const char* name;
  Problem (*make)(std::size_t, std::uint64_t);
};
constexpr Kind kKinds[] = {
    {"rand", test::randProblem}, {"infer", test::inferProblem}, {"tile", test::tileProblem}};

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measureOne(const AllocatorChoice& choice, const Kind& kind, const Problem& problem) {
  PlanContext context;
  if (choice.info->isSearch) context.timeLimit = kSearchSeconds;
  const bench::CpuTimer timer;
  const double start = wallSeconds();
  const auto plan = choice.make()->plan(problem, context);
  const double seconds = choice.info->isSearch ? wallSeconds() - start : timer.seconds();
  const double most = choice.info->isSearch ? kSearchSeconds * 1.1 : kSeconds;
  if (!plan) {
    fmt::print("allocators: {} {}: {}\n", choice.text(), kind.name, plan.error().text());
    return;
  }
  Bytes peak;
  for (const PoolId pool : plan->regions.keys()) peak += plan->footprint(pool);
  fmt::print("allocators: {:<18} {:<5} {:>8} stays  {:7.3f} s (at most {:.2f}{})  ratio {:.4f}\n",
             choice.text(), kind.name, problem.stays.size(), seconds, most,
             seconds > most ? ", EXCEEDED" : "",
             static_cast<double>(peak.count()) / static_cast<double>(lowerBound(problem).count()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t stays = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
  for (const Kind& kind : kKinds) {
    const Problem problem = kind.make(stays, 1);
    for (const AllocatorInfo& info : allocatorCatalog()) {
      const auto choice = AllocatorChoice::parse(argc > 2 ? argv[2] : info.name);
      if (!choice) {
        fmt::print("allocators: {}\n", choice.error().text());
        return 2;
      }
      measureOne(*choice, kind, problem);
      if (argc > 2) break;
    }
  }
  return 0;
}
