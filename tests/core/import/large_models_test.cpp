#include "tests/support/large_models.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/files/file.h"
#include "core/files/mapped_file.h"
#include "tests/core/import/onnx/onnx_models.h"
#include "tests/support/large_documents.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

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
  constexpr auto kOps = static_cast<int>(test::rounds(100'000));
  const std::string format = GENERATE("onnx", "tflite");
  const bool bound = GENERATE(false, true);
  if (bound && format == "onnx") return;  // Shapes are worked out there in any case.
  const std::string bytes = format == "onnx" ? chainOnnx(kOps) : chainTflite(kOps);
  ImportOptions options;
  if (bound) options.dimensions = {{"batch", 1}};
  const auto model = test::must(importModel(bytes, "many." + format, options));
  CHECK(model.graph->ops.size() == kOps);
  CHECK(tensorNamed(model, "t" + std::to_string(kOps - 1)).bytes == Bytes(512));
}

TEST_CASE("every format of text takes time and memory by its length", "[import][large]") {
  constexpr auto kRows = static_cast<int>(test::rounds(20'000));
  for (const LargeDocument& document : largeDocuments()) {
    CAPTURE(document.file);
    std::ostringstream text;
    document.write(text, kRows);
    const auto model = test::must(importModel(text.str(), std::string(document.file), {}));
    CHECK(model.graph->tensors.size() >= kRows);
  }
}

TEST_CASE("what is read of a pipe or device is limited by its format", "[import][large]") {
  CHECK(test::mustFail(loadModel("/dev/zero", {}))
            .message.starts_with("the format is not recognised"));
  const auto file = MappedFile::open("/dev/zero", {}, [](std::string_view head) {
    CHECK(head.size() == kPipeHead);
    return Result<std::size_t>(kPipeHead + 1000);
  });
  REQUIRE_FALSE(file);
  CHECK(file.error().message == "what is no regular file has more than 16,778,216 bytes");
  CHECK_FALSE(readFile("/dev/zero", 1 << 20));
}

TEST_CASE("a file that is too large for its format is not read", "[import][large]") {
  const auto path = std::filesystem::temp_directory_path() / "highwater_too_large.csv";
  std::ofstream(path) << "id,lower,upper,size\na,0,1,1\n";
  std::filesystem::resize_file(path, std::uint64_t{3} << 30U);
  const long before = residentKilobytes();
  const auto model = loadModel(path.string(), {});
  const auto text = readFile(path.string());
  std::filesystem::remove(path);
  REQUIRE_FALSE(model);
  CHECK(model.error().message ==
        "the file looks like 'problem-csv' and has 3,221,225,472 bytes; at most 2,147,483,648 are "
        "read");
  CHECK_FALSE(text);
  CHECK(residentKilobytes() - before < 50 * 1024);
}

}  // namespace hw
