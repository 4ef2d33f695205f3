#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/import/importer.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// The folder of real models, if this machine has it; says so once when it has not.
std::optional<fs::path> corpus() {
  const char* given = std::getenv("HIGHWATER_CORPUS");
  const fs::path folder =
      given != nullptr ? fs::path(given) : fs::path(HIGHWATER_SOURCE_DIR) / "../shared/corpus";
  if (fs::is_directory(folder)) return folder;
  WARN("skipped: no corpus of models (set HIGHWATER_CORPUS to its folder)");
  return std::nullopt;
}

/// name, lower, upper, size: names may repeat, so rows are counted.
using Row = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t>;
using Rows = std::multiset<Row>;

Rows storedRows(const fs::path& folder, const std::string& problem) {
  std::map<std::string, std::string> names;
  std::ifstream table(folder / "problems" / (problem + ".tensors.tsv"));
  for (std::string line; std::getline(table, line);) {
    const auto cells = splitText(line, '\t');
    if (cells.size() > 1) names.emplace(cells[0], cells[1]);
  }
  Rows rows;
  const auto model = loadModel((folder / "problems" / (problem + ".csv")).string(), {});
  if (!model) return rows;
  for (const Stay& stay : model->problem->stays) {
    const std::string& id = model->graph->tensors[TensorId(stay.buffer.index())].name;
    rows.insert({names[id], stay.steps.begin.count(), stay.steps.end.count(), stay.size.count()});
  }
  return rows;
}

/// The lifetime problem as the corpus defines it, from producers and consumers alone.
Rows rowsOf(const Graph& graph) {
  const auto steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(graph.ops.size()));
  Rows rows;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.constant || tensor.persistent || !tensor.bytes || tensor.bytes->count() == 0) {
      continue;
    }
    const auto step = [](OpId op) { return static_cast<std::int64_t>(op.index()); };
    const std::int64_t lower = tensor.producer ? step(tensor.producer) : 0;
    std::int64_t upper = tensor.consumers.empty() ? lower + 1 : step(tensor.consumers.back()) + 1;
    if (tensor.graphOutput) upper = steps;
    rows.insert({tensor.name, lower, upper, tensor.bytes->count()});
  }
  return rows;
}

struct Subject {
  std::string name{};      ///< Of the problem's files.
  std::string model{};     ///< Of the model's file.
  std::string subgraph{};  ///< Empty: the main one.
};

std::vector<Subject> problems(const fs::path& folder) {
  std::vector<Subject> found;
  for (const auto& entry : fs::directory_iterator(folder / "problems")) {
    if (entry.path().extension() != ".csv") continue;
    Subject problem{.name = entry.path().stem().string()};
    const auto at = problem.name.find("__sg");
    problem.model = problem.name.substr(0, at);
    if (at != std::string::npos) problem.subgraph = problem.name.substr(at + 4);
    if (fs::exists(folder / "tflite" / (problem.model + ".tflite"))) found.push_back(problem);
  }
  std::ranges::sort(found, {}, &Subject::name);
  return found;
}

std::string shown(const Rows& rows, const Rows& without) {
  Rows missing;
  std::ranges::set_difference(rows, without, std::inserter(missing, missing.end()));
  std::string text;
  for (const auto& [name, lower, upper, size] : missing) {
    if (text.size() > 400) return text + "…";
    text += "\n  " + name + " " + std::to_string(lower) + " " + std::to_string(upper) + " " +
            std::to_string(size);
  }
  return text.empty() ? "\n  none" : text;
}

}  // namespace

TEST_CASE("TFLite models agree with their independent lifetime problems", "[import][corpus]") {
  const auto folder = corpus();
  if (!folder) return;
  std::size_t exact = 0;
  std::size_t tensors = 0;
  const auto all = problems(*folder);
  for (const Subject& problem : all) {
    INFO(problem.name);
    const auto model = loadModel((*folder / "tflite" / (problem.model + ".tflite")).string(),
                                 {.subgraph = problem.subgraph, .closedBodies = true});
    if (!model) FAIL_CHECK(model.error().text());
    if (!model) continue;
    const Rows ours = rowsOf(*model->graph);
    const Rows theirs = storedRows(*folder, problem.name);
    INFO("only here:" << shown(ours, theirs) << "\nonly there:" << shown(theirs, ours));
    CHECK(ours == theirs);
    exact += ours == theirs ? 1 : 0;
    tensors += ours.size();
  }
  std::cout << "corpus: " << exact << " of " << all.size()
            << " TFLite problems reproduced exactly, " << tensors << " tensors\n";
  CHECK(!all.empty());
}

}  // namespace hw
