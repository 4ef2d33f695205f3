// Fronts and rewrites of every sample: processor time of one thread to the first answer and to the
// end. Wanted: at most 0.3 s and 5 s. Names of samples as arguments: those alone.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/shrink/shrink.h"
#include "core/study/front.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;

namespace {

constexpr double kFirst = 0.3;
constexpr double kEnd = 5;

void report(std::string_view what, double first, double end, bool done) {
  fmt::print("{}: first answer {:.2f} s, end {:.2f} s{}{}\n", what, first, end,
             first > kFirst || end > kEnd ? ", TOO LONG" : "", done ? "" : " (none)");
  std::fflush(stdout);
}

/// Carries out `work`, which is handed what to call with each answer.
template <class Work>
void timed(const std::string& what, const Work& work) {
  const bench::CpuTimer timer;
  double first = 0;
  const bool done = work([&](const auto&) {
    if (first == 0) first = timer.seconds();
  });
  const double end = timer.seconds();
  report(what, first == 0 ? end : first, end, done);
}

void benchFront(const std::shared_ptr<const Model>& model, const std::string& platform) {
  RunRequest request = defaultRequest();
  request.platform = *findPlatform(platform);
  request.threads = 1;
  timed(fmt::format("front of {} on {}", model->name, platform),
        [&](auto answer) { return makeFront(model, request, {.report = answer}, {}).has_value(); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> only(argv + 1, argv + argc);
  for (const SampleInfo& sample : sampleCatalog()) {
    if (!only.empty() && std::ranges::find(only, sample.name) == only.end()) continue;
    auto opened = openModel("samples:" + sample.name, {});
    if (!opened || opened->problem) continue;
    const auto model = std::make_shared<const Model>(std::move(*opened));
    RunRequest request = defaultRequest();
    request.threads = 1;
    timed("shrink of " + sample.name,
          [&](auto answer) { return shrink(model, request, {.report = answer}, {}).has_value(); });
    for (const char* platform : {"generic-npu", "hexagon-vtcm"}) benchFront(model, platform);
  }
}
