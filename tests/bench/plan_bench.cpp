// Planning: many random stays, and a real model opened and planned.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>

#include "core/check/replay.h"
#include "core/machine/platforms.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/run/run.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;

namespace {

/// Short stays of sizes from a byte to a megabyte, about 50 of them live at a time.
Problem manyStays(std::size_t count) {
  std::mt19937_64 random(1);
  Problem problem;
  problem.pools.add({.name = "L2"});
  const std::size_t steps = count / 5;
  problem.steps = Step(static_cast<std::int64_t>(steps));
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = static_cast<std::int64_t>(random() % (steps - 20));
    const auto length = static_cast<std::int64_t>(1 + random() % 20);
    problem.stays.add({.buffer = BufferId(i),
                       .steps = {Step(begin), Step(begin + length)},
                       .size = Bytes(static_cast<std::int64_t>(1 + random() % (1 << 20)))});
  }
  return problem;
}

void benchAllocator(const char* name, const Problem& problem, double limit) {
  const auto choice = AllocatorChoice::parse(name);
  if (!choice) return;
  const bench::CpuTimer timer;
  const auto plan = choice->make()->plan(problem, {});
  const double seconds = timer.seconds();
  if (!plan) {
    fmt::print("plan: {}: {}\n", name, plan.error().text());
    return;
  }
  fmt::print("plan: {}, {} random stays: {:.2f} s{}, {:.1f} % above the bound\n", name,
             problem.stays.size(), seconds, limit > 0 ? fmt::format(" (at most {})", limit) : "",
             measure(problem, *plan).gap() * 100);
}

/// What it costs that methods can be recorded: planning with nobody looking, and for comparison
/// with a record. The first is what `benchAllocator` measures too; its ratio to itself says how
/// much the machine wavers.
void benchRecording(const char* name, const Problem& problem) {
  const auto choice = AllocatorChoice::parse(name);
  if (!choice) return;
  const auto allocator = choice->make();
  const auto seconds = [&](bool record) {
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 3; ++round) {
      const bench::CpuTimer timer;
      if (!allocator->plan(problem, {.story = false, .record = record})) return 0.0;
      least = std::min(least, timer.seconds());
    }
    return least;
  };
  const double off = seconds(false);
  const double again = seconds(false);
  const double on = seconds(true);
  fmt::print("plan: {}, {} stays: {:.2f} s unrecorded, again {:.2f} of that, recorded {:.2f}\n",
             name, problem.stays.size(), off, again / off, on / off);
}

void benchJudges(const Problem& problem) {
  const auto plan = AllocatorChoice::parse("greedy-by-size")->make()->plan(problem, {});
  if (!plan) return;
  const bench::CpuTimer validating;
  const std::size_t found = validate(problem, *plan).size();
  fmt::print("plan: validate {} stays: {:.0f} ms, {} findings\n", problem.stays.size(),
             validating.milliseconds(), found);
  const bench::CpuTimer measuring;
  const PlanMetrics metrics = measure(problem, *plan);
  fmt::print("plan: measure {} stays: {:.0f} ms, reuse {:.3f}\n", problem.stays.size(),
             measuring.milliseconds(), metrics.reuse);
}

void benchModel(const std::string& path) {
  if (!std::filesystem::exists(path)) {
    fmt::print("plan: no corpus, so no model is opened (HIGHWATER_CORPUS names its folder)\n");
    return;
  }
  RunRequest request;
  request.platform = platformCatalog().front();
  request.allocator = *AllocatorChoice::parse("free-list");
  const bench::CpuTimer timer;
  auto model = loadModel(path, {});
  if (!model) {
    fmt::print("plan: {}\n", model.error().text());
    return;
  }
  const double opened = timer.seconds();
  const auto run = execute(std::make_shared<const Model>(std::move(*model)), request, {});
  if (!run) {
    fmt::print("plan: {}\n", run.error().text());
    return;
  }
  fmt::print(
      "plan: {} opened in {:.3f} s, planned and simulated in {:.3f} s (together at most 0.1)\n",
      (*run)->model->name, opened, timer.seconds() - opened);
  const bench::CpuTimer replaying;
  const std::size_t found = replayBytes(**run, Bytes(1 << 30)).size();
  fmt::print("plan: byte-level replay of it: {:.2f} s, {} corruptions\n", replaying.seconds(),
             found);
}

}  // namespace

int main() {
  const Problem problem = manyStays(100'000);
  benchAllocator("greedy-by-size", problem, 1);
  benchAllocator("free-list", problem, 0);
  benchJudges(problem);
  const Problem million = manyStays(1'000'000);
  for (const char* name : {"free-list", "block-id", "two-sided", "greedy-by-size"}) {
    benchRecording(name, million);
  }
  const char* corpus = std::getenv("HIGHWATER_CORPUS");
  benchModel(std::string(corpus ? corpus : "../shared/corpus") + "/onnx/light_densenet121.onnx");
  return 0;
}
