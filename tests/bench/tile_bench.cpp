// Operators in parts, by lines and in stripes: every model of the corpus, inputs there from the
// beginning and coming in row by row; planned, and replayed byte by byte.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/run/run.h"
#include "tests/bench/corpus_models.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;

namespace {

struct Sum {
  int models = 0;
  int placed = 0;  ///< Of them with a plan as low as the bound.
  double log = 0;  ///< Of peaks / lower bounds of the whole operators.
  double slowest = 0;
};

double ratio(Bytes a, Bytes b) {
  return static_cast<double>(a.count()) / static_cast<double>(std::max<std::int64_t>(b.count(), 1));
}

/// Adds to the sum, and to the line of the model, what comes of one request.
bool benchRun(const std::shared_ptr<const Model>& model, const RunRequest& request, Bytes whole,
              Sum& sum, std::string& text) {
  constexpr Bytes kArena{std::int64_t{1} << 26};
  const bench::CpuTimer timer;
  const auto tiles = tiled(model->graph, givenOrder(*model->graph),
                           {.alias = request.alias, .alignment = *request.alignment},
                           {.rule = request.tile,
                            .arriving = request.inputs == InputPlace::rows,
                            .extraWork = request.extraWork});
  const double milliseconds = timer.milliseconds();
  if (!tiles || tiles->account.parts == 0) return false;
  const auto run = execute(model, request, {.simulate = false});
  if (!run) return false;
  Bytes peak;
  for (const PoolId pool : (*run)->problem.pools.keys()) peak += (*run)->plan.footprint(pool);
  const auto faults = replayBytes(**run, kArena);
  const TileAccount& account = tiles->account;
  ++sum.models;
  sum.placed += peak == account.peak ? 1 : 0;
  sum.log += std::log(ratio(peak, whole));
  sum.slowest = std::max(sum.slowest, milliseconds);
  text +=
      fmt::format(" | {:10} {:.3f} {:7} {:5.1f} {:5.3f} {:8.1f} {}{}", peak.count(),
                  ratio(peak, whole), account.parts, ratio(account.weightsRead, account.weights),
                  static_cast<double>(account.extra) /
                      static_cast<double>(std::max<std::int64_t>(account.work, 1)),
                  milliseconds, peak == account.peak ? "" : "above bound ",
                  faults.empty() ? "replayed" : "WRONG: " + faults.front().message);
  return true;
}

/// By lines, which make nothing twice, and in stripes, which may do a tenth of all work more.
constexpr TileRule kBenchRules[] = {TileRule::lines, TileRule::stripes};
using Sums = std::array<std::array<Sum, 2>, std::size(kBenchRules)>;  // Resident, by rows.

void benchModel(const std::filesystem::path& path, Sums& sums) {
  auto loaded = loadModel(path.string(), {});
  if (!loaded || loaded->problem || loaded->graph->ops.size() < 2) return;
  const auto model = std::make_shared<const Model>(*std::move(loaded));
  RunRequest request = planningRequest();
  request.alignment = Bytes(1);
  const StorageOptions options{.alias = request.alias, .alignment = Bytes(1)};
  const Bytes whole =
      livePeak(shareStorage(*model->graph, givenOrder(*model->graph), options), Bytes(1));
  for (std::size_t rule = 0; rule < sums.size(); ++rule) {
    std::string text =
        fmt::format("{:34} {:8} {:5} {:10}", path.stem().string().substr(0, 34),
                    tileRuleName(kBenchRules[rule]), model->graph->ops.size(), whole.count());
    request.tile = kBenchRules[rule];
    request.inputs = InputPlace::arena;
    if (!benchRun(model, request, whole, sums[rule][0], text)) return;
    request.inputs = InputPlace::rows;
    benchRun(model, request, whole, sums[rule][1], text);
    fmt::print("tile: {}\n", text);
    std::fflush(stdout);
  }
}

}  // namespace

/// Folders or files; the corpus without any.
int main(int count, char** arguments) {
  const auto files = namedOrCorpusModels(count, arguments, isModelFile);
  if (files.empty()) fmt::print("tile: no corpus (HIGHWATER_CORPUS names its folder)\n");
  fmt::print(
      "tile: {:34} {:8} {:>5} {:>10} | bytes, / whole, parts, weights read, extra, ms | by rows\n",
      "model", "rule", "ops", "whole");
  Sums sums;
  for (const auto& file : files) benchModel(file, sums);
  for (std::size_t rule = 0; rule < sums.size(); ++rule) {
    for (const bool arriving : {false, true}) {
      const Sum& sum = sums[rule][arriving ? 1 : 0];
      fmt::print(
          "tile: {}, {}: {} models, geometric mean {:.3f}; {} plans at their bound; slowest {:.0f} "
          "ms\n",
          tileRuleName(kBenchRules[rule]), arriving ? "by rows" : "resident", sum.models,
          std::exp(sum.log / std::max(sum.models, 1)), sum.placed, sum.slowest);
    }
  }
  return 0;
}
