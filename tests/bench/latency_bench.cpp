// Plans for latency: for each model and capacity the latency of the search, the proved bound, what
// lies between, seconds of CPU until the last improvement, and how many plans were given times.
// Weights are brought near one step ahead, graph inputs are loaded, nothing shares storage. Prints
// a table; a capacity is a multiple of what the lowest plan needs. No plan may be slower than the
// lowest one or that of idle-longest: else it ends with a 2.
//
//     latency_bench --platform FILE [--seconds S] [-o FILE] [--times 1,1.1,...] [--macs K]
//                   [--elements K] [--first-unit TYPE|multiplying] [--one-load] [MODEL...]
//
// Without models: the samples, and the models of $HIGHWATER_CORPUS. --macs and --elements multiply
// what the platform's units do in a cycle; --first-unit has its first unit run operators of a type
// that the platform does not list there, too, or all that multiply. --one-load brings all weights
// of an operator near in one load, as if a bias lay right behind its matrix in the file.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/base/text.h"
#include "core/files/file.h"
#include "core/import/samples.h"
#include "core/latency/hasten_plan.h"
#include "core/latency/reuse_timer.h"
#include "core/machine/platforms.h"
#include "core/ops/op_table.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;

namespace {

struct Options {
  Platform platform{};
  double seconds = 5;
  double macs = 1;
  double elements = 1;
  bool oneLoad = false;
  std::vector<std::string> firstUnit{};
  std::string file{};
  std::vector<double> times = {1.0, 1.1, 1.25, 1.5};
  std::vector<std::string> models{};
  bool named = true;  ///< The models were; else those that cannot be opened are left out.
};

[[noreturn]] void stop(const std::string& why) {
  fmt::print(stderr, "latency_bench: {}\n", why);
  std::exit(2);
}

/// The graph, its first weight of every operator with the bytes of all that only this operator
/// reads, so that one load brings them. What is computed goes by shapes, which stay.
std::shared_ptr<const Graph> withOneLoad(const Graph& graph) {
  auto changed = std::make_shared<Graph>(graph);
  for (const Op& op : changed->ops) {
    Tensor* first = nullptr;
    for (const TensorId id : op.inputs) {
      if (!id) continue;
      Tensor& tensor = changed->tensors[id];
      if (!tensor.constant || !tensor.bytes || tensor.consumers.size() != 1) continue;
      if (first == nullptr) first = &tensor;
      if (first == &tensor) continue;
      *first->bytes += *tensor.bytes;
      tensor.bytes = Bytes();
    }
  }
  return changed;
}

double milliseconds(SimTime time) { return static_cast<double>(time.count()) / 1e9; }

/// What one search came to.
struct Cell {
  LatencySearchResult result{};
  double seconds = 0;   ///< Of CPU, when its last improvement came.
  bool beaten = false;  ///< By a start: must not be.
  double ratio() const {
    if (result.bound.time == SimTime()) return 1;  // A model of which nothing takes time.
    return milliseconds(result.best.latency) / milliseconds(result.bound.time);
  }
  std::string text() const {
    return fmt::format("{:.3f}, {:.3f}{} {:.2f} % ({:.2f} s, {})",
                       milliseconds(result.best.latency), milliseconds(result.bound.time),
                       result.proved() ? " \\*" : "", 100 * (ratio() - 1), seconds,
                       result.evaluations);
  }
};

Cell searched(const Run& run, const TimedWork& work, Bytes capacity, double seconds) {
  Problem problem = run.problem;
  problem.pools[PoolId(0)].capacity = capacity;
  Cell cell;
  const bench::CpuTimer cpu;
  LatencySearchOptions options{
      .capacities = capacitiesOf(problem), .looks = 0, .seconds = seconds, .clock = [&] {
        return cpu.seconds();
      }};
  SimTime last;
  options.improved = [&](const LatencySample& now) {
    if (now.latency != last) cell.seconds = now.seconds;
    last = now.latency;
  };
  std::vector<TimedPlan> starts = latencyStarts(problem, run.plan, {});
  ReuseTimer timer(work);
  SimTime least = kMaxTime;
  for (const TimedPlan& start : starts) {
    timer.place(start.offsets);
    least = std::min(least, timer.contended());
  }
  cell.result = searchLatency(work, std::move(starts), options);
  cell.beaten = cell.result.best.latency > least;
  return cell;
}

/// What the cells of one column come to.
struct Column {
  int cells = 0;
  int proved = 0;
  double worst = 1;
  std::string at{};  ///< The model where it is worst.
};

class Bench {
 public:
  explicit Bench(Options options) : options_(std::move(options)), columns_(options_.times.size()) {}

  std::string run() {
    text_ = "| model (no reuse; lowest plan) | stays |";
    for (const double times : options_.times)
      text_ += fmt::format(" x {:.2f}: search, bound |", times);
    text_ += "\n|---|---|";
    for (std::size_t i = 0; i < options_.times.size(); ++i) text_ += "---|";
    tell("");
    for (const std::string& model : options_.models) add(model);
    tell("| **worst; proved** | |" + summary());
    return text_;
  }

 private:
  void tell(const std::string& line) {
    text_ += (line.empty() ? "" : line) + "\n";
    if (!line.empty()) fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  std::string summary() const {
    std::string text;
    for (const Column& column : columns_) {
      text += fmt::format(" {:.2f} % ({}); {} of {} |", 100 * (column.worst - 1), column.at,
                          column.proved, column.cells);
    }
    return text;
  }

  void add(const std::string& name) {
    RunRequest request = defaultRequest();
    request.platform = options_.platform;
    request.model = name;
    request.alias = AliasRules::none();
    request.weights = {.rule = WeightRule::prefetch};
    request.inputs = InputPlace::loaded;
    auto model = openModel(request.model, request.import);
    if (!model && options_.named) stop(model.error().text());
    if (!model || model->problem) return;
    if (options_.oneLoad) model->graph = withOneLoad(*model->graph);
    const auto found = execute(std::make_shared<const Model>(*std::move(model)), request, {});
    if (!found) return tell(fmt::format("| {} | {} |", name, found.error().text()));
    const Run& run = **found;
    if (run.timing.activities.activities.empty()) return;
    const TimedWork work(run.timing.activities, run.problem);
    ReuseTimer timer(work);
    const SimTime apart = timer.contended();
    timer.place(offsetsOf(run.plan));
    const SimTime atLowest = timer.contended();
    const Bytes lowest = run.plan.footprint(PoolId(0));
    std::string line = fmt::format(
        "| {} ({:.3f}; {:.3f} at {}) | {} |", std::filesystem::path(name).filename().string(),
        milliseconds(apart), milliseconds(atLowest), formatBytes(lowest), run.problem.stays.size());
    for (std::size_t i = 0; i < options_.times.size(); ++i) {
      const double bytes = static_cast<double>(lowest.count()) * options_.times[i];
      const Bytes capacity = alignUp(Bytes(static_cast<std::int64_t>(bytes)), Bytes(64));
      const Cell cell = searched(run, work, capacity, options_.seconds);
      if (cell.beaten) stop(name + ": a start was faster than the search");
      line += " " + cell.text() + " |";
      Column& column = columns_[i];
      ++column.cells;
      column.proved += cell.result.proved() ? 1 : 0;
      if (cell.ratio() <= column.worst) continue;
      column.worst = cell.ratio();
      column.at = std::filesystem::path(name).filename().string();
    }
    tell(line);
  }

  Options options_;
  std::vector<Column> columns_;
  std::string text_;
};

std::vector<std::string> allModels() {
  std::vector<std::string> models;
  for (const SampleInfo& sample : sampleCatalog())
    models.push_back(fmt::format("samples:{}", sample.name));
  const char* corpus = std::getenv("HIGHWATER_CORPUS");
  if (corpus == nullptr) return models;
  std::vector<std::string> files;
  for (const char* folder : {"onnx", "tflite", "graphs"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(corpus) / folder)) {
      files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  models.insert(models.end(), files.begin(), files.end());
  return models;
}

Options parsed(int count, char** words) {
  Options options;
  bool platform = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto next = [&] {
      if (i + 1 >= count) stop(fmt::format("{} needs a value", word));
      return std::string(words[++i]);
    };
    if (word == "--platform") {
      const auto text = readFile(next());
      if (!text) stop(text.error().text());
      const auto read = parsePlatform(*text);
      if (!read) stop(read.error().text());
      options.platform = *read;
      platform = true;
    } else if (word == "--seconds") {
      options.seconds = parseNumber(next()).value_or(5);
    } else if (word == "--macs") {
      options.macs = parseNumber(next()).value_or(1);
    } else if (word == "--elements") {
      options.elements = parseNumber(next()).value_or(1);
    } else if (word == "--first-unit") {
      const std::string type = next();
      if (type != "multiplying") options.firstUnit.push_back(type);
      for (const OpInfo& info : opTable()) {
        if (type == "multiplying" && multiplies(info.kind))
          options.firstUnit.emplace_back(info.type);
      }
    } else if (word == "--one-load") {
      options.oneLoad = true;
    } else if (word == "-o") {
      options.file = next();
    } else if (word == "--times") {
      options.times.clear();
      const std::string list = next();
      for (const auto part : splitText(list, ',')) {
        options.times.push_back(parseNumber(part).value_or(1));
      }
    } else {
      options.models.emplace_back(word);
    }
  }
  if (!platform) stop("--platform FILE is missing");
  for (UnitSpec& unit : options.platform.devices.front().units) {
    unit.macsPerCycle *= options.macs;
    unit.elementsPerCycle *= options.elements;
  }
  std::vector<std::string>& ops = options.platform.devices.front().units.front().ops;
  ops.insert(ops.end(), options.firstUnit.begin(), options.firstUnit.end());
  options.named = !options.models.empty();
  if (!options.named) options.models = allModels();
  return options;
}

}  // namespace

int main(int count, char** words) {
  const Options options = parsed(count, words);
  const std::string table = Bench(options).run();
  if (!options.file.empty()) std::ofstream(options.file) << table;
  return 0;
}
