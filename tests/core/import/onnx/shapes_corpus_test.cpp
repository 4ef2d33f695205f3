#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <unordered_map>

#include "core/base/json.h"
#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// How many tensors of a file we know, and why not the others.
struct Score {
  std::size_t all = 0;
  std::size_t known = 0;
  std::size_t equal = 0;
  std::map<std::string, std::size_t> causes{};  ///< Of those not known or not equal.

  void operator+=(const Score& other) {
    all += other.all;
    known += other.known;
    equal += other.equal;
    for (const auto& [cause, count] : other.causes) causes[cause] += count;
  }
};

std::optional<ParsedJson> readShapes(const fs::path& file) {
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  const auto json = parseJson(text);
  if (!json) return std::nullopt;
  return (*json)["shapes"];
}

/// Reasons name tensors; without the names they can be counted.
std::string causeOf(const Tensor& tensor) {
  static const std::regex kQuoted("'[^']*'");
  return std::regex_replace(tensor.unknownReason, kQuoted, "'…'");
}

/// The type as the corpus spells it.
std::string dtypeSpelling(Dtype dtype) {
  const std::string name(dtypeName(dtype));
  return name == "boolean" ? "bool" : name;
}

Score scoreOf(const Graph& graph, const ParsedJson& shapes, bool prints) {
  std::unordered_map<std::string, const Tensor*> ours;
  for (const Tensor& tensor : graph.tensors) ours.emplace(commonName(tensor.name), &tensor);
  Score score;
  for (const auto& [name, value] : shapes.items()) {
    ++score.all;
    const auto found = ours.find(commonName(name));
    if (found == ours.end()) {
      ++score.causes["no such tensor"];
      if (prints) std::cout << "  absent: " << name << '\n';
      continue;
    }
    const Tensor& tensor = *found->second;
    const bool isText = tensor.dtype == Dtype::string && tensor.shape;
    if (!tensor.bytes && !isText) {
      ++score.causes[causeOf(tensor)];
      if (prints) std::cout << "  " << name << ": " << tensor.unknownReason << '\n';
      continue;
    }
    ++score.known;
    const bool isEqual = *tensor.shape == value[1].get<Shape>();
    const bool isType = dtypeSpelling(tensor.dtype) == value[0].get<std::string>();
    if (isEqual && isType) ++score.equal;
    if (!isEqual || !isType) {
      ++score.causes[isEqual ? "another type" : "another shape"];
      std::cout << "  differs: " << name << " is " << dtypeName(tensor.dtype)
                << ParsedJson(*tensor.shape) << ", not " << value << '\n';
    }
  }
  return score;
}

}  // namespace

TEST_CASE("shapes equal those a runtime computed", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const bool prints = std::getenv("HIGHWATER_VERBOSE") != nullptr;
  Score total;
  std::uint64_t number = 0;
  for (const fs::path& file : filesIn(*folder / "shapes")) {
    if (!test::isTried(number++)) continue;
    const std::string name = file.filename().string();
    const std::string model = name.substr(0, name.find(".onnx"));
    const auto shapes = test::must(readShapes(file));
    const auto opened = loadModel((*folder / "onnx" / (model + ".onnx")).string(),
                                  corpusOptions(model, name.find(".flat.") != std::string::npos));
    CAPTURE(name, opened ? std::string() : opened.error().text());
    CHECK(opened);
    const Score score = opened ? scoreOf(*opened->graph, shapes, prints) : Score();
    if (score.equal != score.all) {
      std::cout << name << ": " << score.known << " of " << score.all << " known, " << score.equal
                << " equal\n";
      for (const auto& [cause, count] : score.causes) {
        std::cout << "  " << count << " x " << cause << '\n';
      }
    }
    total += score;
  }
  std::cout << "corpus shapes: " << total.known << " of " << total.all << " known ("
            << 100.0 * static_cast<double>(total.known) / static_cast<double>(total.all) << " %), "
            << total.equal << " of them equal\n";
  CHECK(total.known * 100 >= total.all * 99);
  CHECK(total.equal == total.known);
}

}  // namespace hw
