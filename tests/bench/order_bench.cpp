// Orders of least peak: every model of the corpus, with storage that is not shared, that views
// share, and with work in place, and what the other orders make of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

#include "core/import/importer.h"
#include "core/order/least_peak.h"
#include "tests/bench/corpus_models.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;

namespace {

/// What a row of the table of one kind of sharing adds up to.
struct Sum {
  int models = 0;
  int proven = 0;
  int quick = 0;        ///< Proven within ten milliseconds.
  double logGiven = 0;  ///< Of live peaks / live peak of the given order, nothing shared.
  double logFound = 0;
  double slowest = 0;  ///< Milliseconds.
};

double ratio(Bytes a, Bytes b) {
  return static_cast<double>(a.count()) / static_cast<double>(std::max<std::int64_t>(b.count(), 1));
}

void benchModel(const std::filesystem::path& path, std::map<std::string, Sum>& sums) {
  const auto model = loadModel(path.string(), {});
  if (!model || model->problem || model->graph->ops.size() < 2) return;
  const Graph& graph = *model->graph;
  Bytes plain;
  std::string text =
      fmt::format("{:34} {:5}", path.stem().string().substr(0, 34), graph.ops.size());
  for (const auto& [name, rules] : {std::pair("none", AliasRules::none()),
                                    {"views", AliasRules()},
                                    {"all", AliasRules::all()}}) {
    const StorageOptions options{.alias = rules};
    const bench::CpuTimer timer;
    const FoundOrder found = leastPeakOrder(graph, options);
    const double milliseconds = timer.milliseconds();
    const OrderAccount& account = found.account;
    if (plain == Bytes()) plain = account.given;
    if (plain == Bytes()) return;  // Nothing to plan.
    Sum& sum = sums[name];
    ++sum.models;
    sum.proven += account.proven() ? 1 : 0;
    sum.quick += account.proven() && milliseconds <= 10 ? 1 : 0;
    sum.logGiven += std::log(ratio(account.given, plain));
    sum.logFound += std::log(ratio(account.peak, plain));
    sum.slowest = std::max(sum.slowest, milliseconds);
    text +=
        fmt::format(" | {:6.3f} {:6.3f} {:5.1f}% {:6} {:8.1f}", ratio(account.given, plain),
                    ratio(account.peak, plain), account.gap() * 100, account.states, milliseconds);
  }
  fmt::print("order: {}\n", text);
}

}  // namespace

/// Folders or files; the corpus without any.
int main(int count, char** arguments) {
  const auto files = namedOrCorpusModels(count, arguments, isModelFile);
  if (files.empty()) fmt::print("order: no corpus (HIGHWATER_CORPUS names its folder)\n");
  fmt::print("order: {:34} {:>5} | {:<37} | {:<37} | {:<37}\n", "live peak / given order, unshared",
             "ops", "none: given  least  gap states ms", "views", "all");
  std::map<std::string, Sum> sums;
  for (const auto& file : files) benchModel(file, sums);
  for (const auto& [name, sum] : sums) {
    fmt::print(
        "order: {}: {} models, {} proven, {} of them in 10 ms; geometric mean {:.3f}, least peak "
        "{:.3f}; slowest {:.0f} ms\n",
        name, sum.models, sum.proven, sum.quick, std::exp(sum.logGiven / sum.models),
        std::exp(sum.logFound / sum.models), sum.slowest);
  }
  return 0;
}
