#include "tests/support/large_models.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/core/import/onnx/onnx_models.h"

// Many operators, and many bytes.

namespace hw {
namespace {

double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

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
  const double start = processorSeconds();
  const auto model = loadModel(path.string(), {});
  const double seconds = processorSeconds() - start;
  const long grown = residentKilobytes() - before;
  std::filesystem::remove(path);
  if (!model) FAIL(model.error().text());
  CHECK(model->graph->ops.size() == kSparseWeights);
  const Tensor last = tensorNamed(*model, "w23");
  CHECK(last.bytes == Bytes(kSparseWeightBytes));
  CHECK(last.constant);
  CHECK(model->sha256.size() == 64);
  std::cout << "2.4 GiB of weights, " << format << ": " << seconds << " s of processor time, "
            << grown / 1024 << " MiB more\n";
  CHECK(seconds < 1);
  CHECK(grown < 200 * 1024);
}

TEST_CASE("100,000 operators open quickly", "[import][large]") {
  constexpr int kOps = 100'000;
  const std::string format = GENERATE("onnx", "tflite");
  const bool bound = GENERATE(false, true);
  if (bound && format == "onnx") return;  // Shapes are worked out there in any case.
  const std::string bytes = format == "onnx" ? chainOnnx(kOps) : chainTflite(kOps);
  ImportOptions options;
  if (bound) options.dimensions = {{"batch", 1}};
  const double start = processorSeconds();
  const auto model = importModel(bytes, "many." + format, options);
  const double seconds = processorSeconds() - start;
  REQUIRE(model);
  CHECK(model->graph->ops.size() == kOps);
  CHECK(tensorNamed(*model, "t99999").bytes == Bytes(512));
  std::cout << "100,000 operators, " << format << (bound ? " with a batch" : "") << ": " << seconds
            << " s of processor time\n";
#ifdef NDEBUG
  CHECK(seconds < 1.5);  // Below 1 s on a machine at rest; a busy one shares its caches.
#endif
}

}  // namespace hw
