#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "tests/core/import/onnx_corpus.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// What a file becomes: "ops/planned tensors/bytes/unknown", or part of the one line that says why
/// it does not open.
const std::map<std::string, std::string>& expectations() {
  static const std::map<std::string, std::string> kExpectations = { @ @TABLE @ @ };
  return kExpectations;
}

std::string outcome(const Result<Model>& model) {
  if (!model) return model.error().text();
  std::size_t planned = 0;
  std::size_t unknown = 0;
  std::int64_t bytes = 0;
  for (const Tensor& tensor : model->graph->tensors) {
    if (tensor.constant) continue;
    if (!tensor.bytes) ++unknown;
    if (!tensor.bytes || tensor.bytes->count() == 0) continue;
    ++planned;
    bytes += tensor.bytes->count();
  }
  return fmt::format("{}/{}/{}/{}", model->graph->ops.size(), planned, bytes, unknown);
}

bool isHazard(const std::string& name) {
  return name.starts_with("hz_") || name.starts_with("derived_") || name == "mnist.ort";
}

}  // namespace

TEST_CASE("each hazard opens as it should, or says why not", "[import][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  std::size_t seen = 0;
  for (const fs::path& file : filesIn(*folder / "onnx")) {
    const std::string name = file.filename().string();
    if (!isHazard(name)) continue;
    CAPTURE(name);
    const auto found = expectations().find(name);
    REQUIRE(found != expectations().end());
    const auto model = loadModel(file.string(), {});
    const bool opens = found->second.find(' ') == std::string::npos;
    CHECK(model.has_value() == opens);
    const std::string result = outcome(model);
    if (opens) CHECK(result == found->second);
    if (!opens) CHECK_THAT(result, Catch::Contains(found->second));
    CHECK(result.find('\n') == std::string::npos);
    ++seen;
  }
  CHECK(seen == expectations().size());
}

}  // namespace hw
