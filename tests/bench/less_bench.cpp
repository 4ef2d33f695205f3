// Peaks below the lower bound: the models of the corpus that somebody computed a problem for, with
// the order of least peak, work in place, operators that run again, outputs that overlap their
// inputs and operators in parts, alone and together. Every plan is replayed on bytes. Standard
// output is a table by model; those of docs/less.md are made by scripts/make_figures.py.

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/text.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/import/importer.h"
#include "core/order/least_peak.h"
#include "core/run/run.h"
#include "tests/bench/corpus_models.h"
#include "tests/bench/cpu_timer.h"
#include "tests/bench/mobile_nets.h"

using namespace hw;

namespace {

/// Smaller problems are of files that show a hazard, and of single operators.
constexpr std::ptrdiff_t kFewestBuffers = 10;
/// What takes longer to plan is told as "-".
constexpr std::chrono::seconds kLongest(120);
constexpr Bytes kArena{std::int64_t{1} << 26};

/// What one column asks for.
struct Way {
  std::string_view name;
  bool least = false;
  KernelWays kernels{};
  TileRule tile = TileRule::off;
  double extra = 0;  ///< As a share of all work.
  bool rows = false;
  bool again = false;
  bool nhwc = false;  ///< Images are held channels last.

  RunRequest request() const {
    RunRequest request = planningRequest();
    request.alignment = Bytes(1);
    request.alias = AliasRules::all();
    if (least) request.order = OpOrder::leastPeak;
    request.overlap = kernels != KernelWays();
    for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = kernels;
    request.tile = tile;
    request.extraWork = extra;
    if (rows) request.inputs = InputPlace::rows;
    request.recompute = again;
    request.channelsLast = nhwc;
    return request;
  }
};

constexpr KernelWays kForward{.forward = true};
constexpr KernelWays kBoth{.forward = true, .reverse = true};
constexpr Way kWays[] = {
    {.name = "in place"},
    {.name = "+ order", .least = true},
    {.name = "+ forward", .least = true, .kernels = kForward},
    {.name = "+ both", .least = true, .kernels = kBoth},
    {.name = "both, nhwc", .least = true, .kernels = kBoth, .nhwc = true},
    {.name = "lines", .tile = TileRule::lines},
    {.name = "by rows", .tile = TileRule::lines, .rows = true},
    {.name = "0 %", .tile = TileRule::any},
    {.name = "by rows", .tile = TileRule::any, .rows = true},
    {.name = "10 %", .tile = TileRule::any, .extra = 0.1},
    {.name = "by rows", .tile = TileRule::any, .extra = 0.1, .rows = true},
    {"together", true, kBoth, TileRule::any, 0.1, false, true},
    {"by rows", true, kBoth, TileRule::any, 0.1, true, true},
};
constexpr std::size_t kCount = std::size(kWays);

/// Stops what it watches after `kLongest`.
class Watch {
 public:
  Watch()
      : thread_([this] {
          std::unique_lock lock(mutex_);
          if (!over_.wait_for(lock, kLongest, [this] { return done_; })) source_.request_stop();
        }) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    over_.notify_all();
    thread_.join();
  }

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

/// What all plans of one model came to.
struct Row {
  std::string name;
  Bytes bound{};  ///< Of the given order, nothing shared.
  std::array<std::optional<Bytes>, kCount> peaks{};
  double orderMilliseconds = 0;
  bool orderProven = false;
  bool parts = false;                 ///< Something runs in parts.
  std::vector<std::string> groups{};  ///< Whose means it enters.
  std::size_t corruptions = 0;
  double slowest = 0;

  double ratio(std::size_t way) const {
    return static_cast<double>(peaks[way]->count()) / static_cast<double>(bound.count());
  }
};

/// The plan of one way enters the row.
void enterWay(const std::shared_ptr<const Model>& model, std::size_t way, Row& row) {
  const Watch watch;
  const bench::CpuTimer timer;
  const auto run = execute(model, kWays[way].request(), {.stop = watch.token(), .simulate = false});
  row.slowest = std::max(row.slowest, timer.seconds());
  if (!run)
    return fmt::print(stderr, "less: {}, {}: {}\n", row.name, kWays[way].name, run.error().text());
  Bytes peak;
  for (const PoolId pool : (*run)->problem.pools.keys()) peak += (*run)->plan.footprint(pool);
  row.peaks[way] = peak;
  row.parts = row.parts || runsInParts((*run)->graph());
  const auto wrong = replayBytes(**run, kArena);
  row.corruptions += wrong.size();
  if (!wrong.empty()) fmt::print(stderr, "less: {}: {}\n", row.name, wrong.front().message);
}

/// Rewrites are there to be chosen from: all of them together are no worse than some. What holds
/// images otherwise is another runtime.
void chooseBest(Row& row) {
  for (const auto& [together, rows] : {std::pair(kCount - 2, false), {kCount - 1, true}}) {
    for (std::size_t way = 0; way < together; ++way) {
      if (kWays[way].nhwc || (kWays[way].rows && !rows)) continue;
      auto& best = row.peaks[together];
      if (row.peaks[way] && (!best || *row.peaks[way] < *best)) best = row.peaks[way];
    }
  }
}

std::optional<Row> rowOf(const std::string& name, const std::shared_ptr<const Model>& model) {
  Row row{.name = name};
  const StorageOptions apart{.alias = AliasRules::none(), .alignment = Bytes(1)};
  const bench::CpuTimer timer;
  const OrderAccount order = leastPeakOrder(*model->graph, apart).account;
  row.orderMilliseconds = timer.milliseconds();
  row.orderProven = order.proven();
  row.bound = order.given;
  if (row.bound == Bytes()) return std::nullopt;
  for (std::size_t way = 0; way < kCount; ++way) enterWay(model, way, row);
  chooseBest(row);
  return row;
}

std::string textOf(const Row& row) {
  std::string text = fmt::format("| {} | {}", row.name, groupDigits(row.bound.count()));
  for (std::size_t way = 0; way < kCount; ++way) {
    text += row.peaks[way] ? fmt::format(" | {:.3f}", row.ratio(way)) : " | -";
  }
  return fmt::format("{} | {} |\n", text, fmt::join(row.groups, ", "));
}

/// Geometric means of some rows, way by way, of the rows that have it.
std::string meansOf(const std::string& name, const std::vector<const Row*>& rows) {
  std::string text = fmt::format("| **{}**, {} | ", name, rows.size());
  for (std::size_t way = 0; way < kCount; ++way) {
    double sum = 0;
    int count = 0;
    for (const Row* row : rows) {
      if (!row->peaks[way]) continue;
      sum += std::log(row->ratio(way));
      ++count;
    }
    text += count > 0 ? fmt::format(" | **{:.3f}**", std::exp(sum / count)) : " | -";
  }
  return text + " | |\n";
}

/// "fused CNN": a TFLite model of convolutions, with their activations in them.
std::vector<std::string> groupsOf(const std::filesystem::path& path, const Graph& graph,
                                  const Row& row) {
  const auto windows = std::ranges::count_if(graph.ops, [](const Op& op) {
    return op.type == "CONV_2D" || op.type == "DEPTHWISE_CONV_2D" || op.type == "Conv";
  });
  std::vector<std::string> groups = {"all"};
  const bool tflite = path.extension() == ".tflite";
  if (windows >= 3) groups.emplace_back(tflite ? "fused CNNs (TFLite)" : "CNNs of ONNX");
  if (row.parts) groups.emplace_back("in parts");
  if (row.parts && windows >= 3) groups.emplace_back("CNNs in parts");
  return groups;
}

bool hasProblem(const std::filesystem::path& corpus, const std::filesystem::path& model) {
  std::ifstream file(corpus / "problems" / (model.stem().string() + ".csv"));
  const auto lines =
      std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  return lines > kFewestBuffers;  // The first says what the columns are.
}

void printHead(int count, char** arguments) {
  std::string command = "less_bench";
  for (int i = 1; i < count; ++i) command += " " + std::filesystem::path(arguments[i]).string();
  fmt::print(
      "{:%Y-%m-%d}, `{}`, bytes of the plan / lower bound of the given order with nothing "
      "shared, alignment 1.\n\n| model | bound",
      fmt::localtime(std::time(nullptr)), command);
  for (const Way& way : kWays) fmt::print(" | {}", way.name);
  fmt::print(" | of |\n|---|---|---|");
  for (std::size_t way = 0; way < kCount; ++way) fmt::print("---|");
  fmt::print("\n");
}

/// Networks that the corpus has not, in bytes.
void printBuilt() {
  const std::pair<const char*, Model> nets[] = {
      {"MobileNetV2 1.0, float32", bench::MobileNet::second("v2", Dtype::float32)},
      {"MobileNetV2 1.0, int8", bench::MobileNet::second("v2_int8", Dtype::int8)},
      {"MobileNetV1 0.5, int8", bench::MobileNet::first("v1_half", 2)},
      {"MobileNetV1 0.25, int8", bench::MobileNet::first("v1_quarter", 1)},
  };
  for (const auto& [name, net] : nets) {
    const auto row = rowOf(name, std::make_shared<const Model>(net));
    if (!row) continue;
    std::string text = fmt::format("| {} | {}", name, groupDigits(row->bound.count()));
    for (const auto& peak : row->peaks) {
      text += peak ? " | " + groupDigits(peak->count()) : " | -";
    }
    fmt::print("{} | |\n", text);
    std::fflush(stdout);
  }
}

}  // namespace

/// Models; those of the corpus and those that are built here without any.
int main(int count, char** arguments) {
  const auto files = namedOrCorpusModels(count, arguments, hasProblem);
  if (files.empty()) fmt::print(stderr, "less: no corpus (HIGHWATER_CORPUS names its folder)\n");
  printHead(count, arguments);
  if (count < 2) printBuilt();
  std::vector<Row> rows;
  rows.reserve(files.size());
  std::map<std::string, std::vector<const Row*>> groups;
  for (const auto& file : files) {
    auto loaded = loadModel(file.string(), {});
    if (!loaded || loaded->problem || loaded->graph->ops.size() < 2) continue;
    const auto model = std::make_shared<const Model>(*std::move(loaded));
    auto row = rowOf(file.stem().string(), model);
    if (!row) continue;
    row->groups = groupsOf(file, *model->graph, *row);
    fmt::print("{}", textOf(*row));
    std::fflush(stdout);
    fmt::print(stderr, "less: {}: slowest plan {:.1f} s, order {} in {:.1f} ms\n", row->name,
               row->slowest, row->orderProven ? "proven" : "open", row->orderMilliseconds);
    rows.push_back(*std::move(row));
    for (const auto& group : rows.back().groups) groups[group].push_back(&rows.back());
  }
  for (const auto& [name, members] : groups) fmt::print("{}", meansOf(name, members));
  std::size_t corruptions = 0;
  for (const Row& row : rows) corruptions += row.corruptions;
  const auto quick = std::ranges::count_if(
      rows, [](const Row& row) { return row.orderProven && row.orderMilliseconds <= 10; });
  fmt::print("\n{} models; {}. The order of least peak is proven within 10 ms for {}.\n",
             rows.size(),
             corruptions == 0 ? "every plan was replayed byte by byte"
                              : fmt::format("{} CORRUPTIONS", corruptions),
             quick);
  return corruptions == 0 ? 0 : 1;
}
