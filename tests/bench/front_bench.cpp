// Fronts and rewrites of every sample: seconds to the first answer and to the end, with as many
// threads as there are processors, and processor time of them all. Wanted: at most 0.3 s and 5 s.
// Names of samples as arguments: those alone.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/shrink/shrink.h"
#include "core/study/front.h"

using namespace hw;

namespace {

constexpr double kFirst = 0.3;
constexpr double kEnd = 5;

const int kThreads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));

void report(std::string_view what, double first, double end, double processors, bool done) {
  fmt::print("{}: first answer {:.2f} s, end {:.2f} s ({:.2f} s of processors){}{}\n", what, first,
             end, processors, first > kFirst || end > kEnd ? ", TOO LONG" : "",
             done ? "" : " (none)");
  std::fflush(stdout);
}

/// Carries out `work`, which is handed what to call with each answer.
template <class Work>
void timed(const std::string& what, const Work& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const std::clock_t used = std::clock();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double first = 0;
  const bool done = work([&](const auto&) {
    if (first == 0) first = seconds();
  });
  const double end = seconds();
  const double processors = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  report(what, first == 0 ? end : first, end, processors, done);
}

void benchFront(const std::shared_ptr<const Model>& model, const std::string& platform) {
  RunRequest request = defaultRequest();
  request.platform = *findPlatform(platform);
  request.threads = kThreads;
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
    request.threads = kThreads;
    timed("shrink of " + sample.name,
          [&](auto answer) { return shrink(model, request, {.report = answer}, {}).has_value(); });
    for (const char* platform : {"generic-npu", "hexagon-vtcm"}) benchFront(model, platform);
  }
}
