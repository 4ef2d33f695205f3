// Models in parts on tflite-micro with pointers of 4 bytes: published networks with random weights,
// then every TFLite file of the corpus in whose arena parts save something. Arguments: files.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "core/files/file.h"
#include "core/shrink/tflm/row_file.h"
#include "tests/bench/cpu_timer.h"
#include "tests/support/tflite_networks.h"

using namespace hw;

namespace {

struct Sum {
  int models = 0;
  double log = 0;  ///< Of arenas / those of the runtime's own plans.
};

/// One line: arena, its part of the runtime's own, multiplications, seconds of the processor.
void benchFile(const std::string& name, const std::string& file, Sum& sum) {
  const bench::CpuTimer timer;
  const auto shrunk = shrinkForTflm(file, 4, {.threads = 2});
  if (!shrunk) return;
  const RuntimeWay& best = shrunk->best();
  const double part = static_cast<double>(best.total().count()) /
                      static_cast<double>(shrunk->ways.front().total().count());
  ++sum.models;
  sum.log += std::log(part);
  if (best.runs.empty()) return;
  fmt::print("{:34} {:8} + {:7} B  {:.3f} of its own  MACs x {:.3f}  {:5.1f} s  {}\n", name,
             best.head.count(), best.tail.count(), part, 1 + best.extraMacs,
             timer.milliseconds() / 1000, best.runs);
}

}  // namespace

int main(int argc, char** argv) {
  Sum sum;
  for (const test::PublishedNetwork& network : test::publishedNetworks())
    benchFile(std::string(network.name), network.file(), sum);
  for (int i = 1; i < argc; ++i) {
    const auto file = readFile(argv[i], std::size_t{1} << 31U);
    if (file) benchFile(std::filesystem::path(argv[i]).stem().string(), *file, sum);
  }
  fmt::print("geometric mean of {} models: {:.3f}\n", sum.models,
             std::exp(sum.log / std::max(sum.models, 1)));
}
