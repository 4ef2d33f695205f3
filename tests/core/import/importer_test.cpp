#include "core/import/importer.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/must.h"

namespace hw {
namespace {

struct Refused {
  std::string bytes;
  std::string error;
};

/// A file that exists as long as the test runs.
struct TemporaryFile {
  std::string path;

  explicit TemporaryFile(const std::string& content)
      : path(std::filesystem::temp_directory_path() /
             ("highwater_import_test_" + std::to_string(::getpid()))) {
    std::ofstream(path, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

constexpr const char* kChain = "id,lower,upper,size\na,0,2,4\n";

}  // namespace

TEST_CASE("what is not a model is called by its name", "[import]") {
  using namespace std::string_literals;
  const Refused refused = GENERATE(values<Refused>({
      {"", "the file is empty; expected a model"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
       "the file is a Git LFS pointer, not the model itself; fetch it with 'git lfs pull'"},
      {"\x1c\0\0\0TFL3\0\0\0\0"s,
       "the flatbuffer is cut short or damaged: the root table lies outside the file's 12 bytes "
       "(byte 28)"},
      {"\x08\0\0\0ORTM\0\0\0\0"s,
       "the ONNX Runtime format (.ort) is not supported yet; ONNX, TFLite, graph JSON and problem "
       "CSV are"},
      {"PK\x03\x04"s, "the file is a zip archive; expected a model, unpack it first"},
      {"hello there",
       "the format is not recognised; expected an ONNX or TFLite model, graph JSON or a problem "
       "CSV"},
      {"a,b\n1,2\n",
       "the format is not recognised; expected an ONNX or TFLite model, graph JSON or a problem "
       "CSV"},
      {"\0"s,
       "the format is not recognised; expected an ONNX or TFLite model, graph JSON or a problem "
       "CSV"},
  }));
  CHECK(test::mustFail(importModel(refused.bytes, "x.onnx", {})).text() == refused.error);
}

TEST_CASE("a file is recognised by its content and carries its digest", "[import]") {
  const TemporaryFile file(kChain);
  const auto model = test::must(loadModel(file.path, {}));
  CHECK(model.path == file.path);
  CHECK(model.name == std::filesystem::path(file.path).filename());
  CHECK(model.format == "problem-csv");
  // By sha256sum.
  CHECK(model.sha256 == "af344552a7d77f4fcd6e256eacbe7ede71a66a0d4d85ca5a94c1b392b5151d90");
  CHECK(model.sha256 == importModel(kChain, "x", {})->sha256);
}

TEST_CASE("a dimension that a format does not have is refused", "[import]") {
  ImportOptions options;
  options.dimensions["past"] = 3;
  CHECK(test::mustFail(importModel(kChain, "chain.csv", options))
            .message.find("no free dimension 'past'") != std::string::npos);
}

TEST_CASE("a model without a name takes the file's", "[import]") {
  CHECK(importModel(kChain, "some/where/net.csv", {})->name == "net");
  CHECK(importModel(kChain, "-", {})->name == "problem-csv");
}

TEST_CASE("a file that cannot be read says so", "[import]") {
  const auto missing = test::mustFail(loadModel("/nonexistent/model.onnx", {}));
  CHECK(missing.code == ErrorCode::unreadable);
  CHECK(missing.text() == "the file cannot be opened: No such file or directory");
  CHECK(test::mustFail(loadModel("/", {})).text() == "the file is a directory");
}

TEST_CASE("the catalogue is complete and its names are unique", "[import]") {
  std::set<std::string_view> names;
  for (const ImporterInfo& info : importerCatalog()) {
    CHECK(names.insert(info.name).second);
    CHECK_FALSE(info.summary.empty());
    CHECK(info.endings.starts_with("*."));
    CHECK(info.accepts != nullptr);
    CHECK(info.read != nullptr);
  }
  CHECK(names.size() >= 2);
}

}  // namespace hw
