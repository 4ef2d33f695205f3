// What a command costs besides its work: the whole program started, and ended. The least of several
// runs counts; processor time, for the machine may be busy.

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "tests/bench/whole_process.h"

using namespace hw;

namespace {

void report(std::string_view what, const std::vector<std::string>& words, int runs) {
  bench::ProcessCost least = bench::runWhole(words, "/dev/null");
  for (int i = 1; i < runs; ++i) {
    const bench::ProcessCost again = bench::runWhole(words, "/dev/null");
    least.wall = std::min(least.wall, again.wall);
    least.cpu = std::min(least.cpu, again.cpu);
  }
  fmt::print("{}: {:.1f} ms, {:.1f} ms of processor time, {:.1f} MB resident{}\n", what,
             least.wall * 1e3, least.cpu * 1e3, static_cast<double>(least.resident) / 1e6,
             least.status == 0 ? "" : ", FAILED");
  std::fflush(stdout);
}

/// A study of samples, and how many of its rows are made a second.
void reportSweep(int threads) {
  const auto study = std::filesystem::temp_directory_path() / "highwater_start_bench.toml";
  std::ofstream(study) << "models = [\"samples:inception_v3\", \"samples:densenet121\"]\n"
                          "allocators = \"greedy-by-size\"\n"
                          "l2 = [\"1MiB\", \"2MiB\", \"4MiB\", \"8MiB\", \"16MiB\"]\n"
                          "seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
  const bench::ProcessCost cost =
      bench::runWhole({"sweep", study.string(), "--threads", std::to_string(threads)}, "/dev/null");
  fmt::print(
      "sweep of inception_v3 and densenet121, {} threads: {:.0f} rows a second, {:.2f} s of "
      "processor time{}\n",
      threads, 100 / cost.wall, cost.cpu, cost.status == 0 ? "" : ", FAILED");
  std::filesystem::remove(study);
}

}  // namespace

int main() {
  report("--version", {"--version"}, 50);
  report("info samples:chain", {"info", "samples:chain"}, 50);
  report("list allocators", {"list", "allocators"}, 20);
  for (const int threads : {1, 2}) reportSweep(threads);
  const char* corpus = std::getenv("HIGHWATER_CORPUS");
  const std::string model = std::string(corpus == nullptr ? "../shared/corpus" : corpus) +
                            "/onnx/ort_TFBertForQuestionAnswering.onnx";
  if (!std::filesystem::exists(model)) {
    fmt::print("without the corpus: TFBert is left out\n");
    return 0;
  }
  report("annealed-stack of TFBert", {"plan", model, "-a", "annealed-stack", "-q"}, 3);
  report("compare TFBert, one thread", {"compare", model, "--threads", "1"}, 2);
}
