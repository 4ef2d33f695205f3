#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/support/must.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFlat = "__flat";

/// Both problems of one model: ours, and the corpus' own.
struct SizeCheck {
  std::set<LifetimeRow> ours;
  std::set<LifetimeRow> theirs;
};

/// Names and sizes alone. Where a file is not in order, the corpus has another order than runtimes.
std::set<LifetimeRow> withoutSteps(const std::set<LifetimeRow>& rows) {
  std::set<LifetimeRow> sizes;
  for (const auto& [name, lower, upper, size] : rows) sizes.insert({name, 0, 1, size});
  return sizes;
}

std::optional<SizeCheck> compare(const fs::path& folder, const std::string& name) {
  const bool flat = name.ends_with(kFlat);
  const std::string stem = flat ? name.substr(0, name.size() - kFlat.size()) : name;
  ImportOptions options = corpusOptions(stem, flat);
  options.fuse = {};  // The answers are of the file as it is.
  const auto model = loadModel((folder / "onnx" / (stem + ".onnx")).string(), options);
  if (!model) return std::nullopt;
  SizeCheck both{problemRows(*model->graph), problemRows(folder / "problems" / (name + ".csv"))};
  if (model->graph->reordered) both = {withoutSteps(both.ours), withoutSteps(both.theirs)};
  return both;
}

std::vector<LifetimeRow> difference(const std::set<LifetimeRow>& a,
                                    const std::set<LifetimeRow>& b) {
  std::vector<LifetimeRow> rows;
  std::ranges::set_difference(a, b, std::back_inserter(rows));
  return rows;
}

/// The problems of ONNX models, `NAME__flat` among them.
std::vector<std::string> problemNames(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& file : filesIn(folder / "problems")) {
    const std::string name = file.stem().string();
    const std::string model = name.substr(0, name.find(kFlat));
    if (file.extension() == ".csv" && fs::exists(folder / "onnx" / (model + ".onnx"))) {
      names.push_back(name);
    }
  }
  return names;
}

/// Those whose problem the corpus marks PARTIAL in SOURCES.md.
std::set<std::string> partialProblems(const fs::path& folder) {
  std::set<std::string> names;
  std::ifstream table(folder / "SOURCES.md");
  for (std::string line; std::getline(table, line);) {
    const std::size_t end = line.find(".onnx |");
    if (end == std::string::npos || line.find("PARTIAL") == std::string::npos) continue;
    names.insert(line.substr(2, end - 2));
  }
  return names;
}

}  // namespace

TEST_CASE("lifetime problems equal those worked out independently", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const std::set<std::string> partial = partialProblems(*folder);
  std::size_t exact = 0;
  std::size_t complete = 0;
  std::string improved;
  for (const std::string& name : problemNames(*folder)) {
    CAPTURE(name);
    const auto both = test::must(compare(*folder, name));
    const auto missing = difference(both.theirs, both.ours);
    CHECK(missing == std::vector<LifetimeRow>());
    const auto added = difference(both.ours, both.theirs);
    if (partial.contains(name)) {
      // Sizes that the corpus itself does not know: here ours are the only answer.
      if (!added.empty()) improved += fmt::format(" {} +{}", name, added.size());
      continue;
    }
    ++complete;
    CHECK(added == std::vector<LifetimeRow>());
    CHECK(lowerBoundOf(both.ours) == lowerBoundOf(both.theirs));
    exact += missing.empty() && added.empty() ? 1 : 0;
  }
  std::cout << fmt::format("corpus problems (ONNX): {} of {} complete ones exact; more known in",
                           exact, complete)
            << improved << '\n';
  CHECK(exact == complete);
  CHECK(complete > 80);
}

TEST_CASE("every file of the corpus loads or says why not in one line", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  for (const std::string part : {"onnx", "tflite", "csv", "problems"}) {
    for (const fs::path& file : filesIn(*folder / part)) {
      CAPTURE(file.filename().string());
      const auto model = loadModel(file.string(), {});
      if (model) {
        CHECK(model->graph != nullptr);
        for (const Tensor& tensor : model->graph->tensors) {
          CHECK(tensor.bytes.has_value() == tensor.unknownReason.empty());
        }
        continue;
      }
      const std::string error = model.error().text();
      CHECK(!error.empty());
      CHECK(error.size() < 300);
      CHECK(error.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("published planning problems load whole", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const auto model = test::must(loadModel((*folder / "csv" / "somas_pangu_2.6B.csv").string(), {}));
  std::int64_t sum = 0;
  for (const Stay& stay : model.problem->stays) sum += stay.size.count();
  CHECK(sum == 276'636'552'888);
}

}  // namespace hw
