#include "tests/support/large_models.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/core/import/onnx/onnx_models.h"

// Many operators, and many bytes.

namespace hw {
namespace {

/// Kilobytes that are resident now.
long residentKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "VmRSS:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

}  // namespace

TEST_CASE("a model beyond 2 GiB opens without reading its weights", "[import][large]") {
  const std::string format = GENERATE("onnx", "tflite");
  const auto path = std::filesystem::temp_directory_path() / ("highwater_sparse_test." + format);
  if (format == "onnx") writeSparseOnnx(path);
  if (format == "tflite") writeSparseTflite(path);
  CHECK(std::filesystem::file_size(path) > std::uint64_t{1} << 31U);
  const long before = residentKilobytes();
  const auto model = loadModel(path.string(), {});
  const long grown = residentKilobytes() - before;
  std::filesystem::remove(path);
  if (!model) FAIL(model.error().text());
  CHECK(model->graph->ops.size() == kSparseWeights);
  const Tensor last = tensorNamed(*model, "w23");
  CHECK(last.bytes == Bytes(kSparseWeightBytes));
  CHECK(last.constant);
  CHECK(model->sha256.size() == 64);
  CHECK(grown < 200 * 1024);
}

TEST_CASE("100,000 operators open", "[import][large]") {
  constexpr int kOps = 100'000;
  const std::string format = GENERATE("onnx", "tflite");
  const bool bound = GENERATE(false, true);
  if (bound && format == "onnx") return;  // Shapes are worked out there in any case.
  const std::string bytes = format == "onnx" ? chainOnnx(kOps) : chainTflite(kOps);
  ImportOptions options;
  if (bound) options.dimensions = {{"batch", 1}};
  const auto model = importModel(bytes, "many." + format, options);
  REQUIRE(model);
  CHECK(model->graph->ops.size() == kOps);
  CHECK(tensorNamed(*model, "t99999").bytes == Bytes(512));
}

}  // namespace hw
