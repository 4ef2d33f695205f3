#include "core/import/samples.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"
#include "tests/support/must.h"
#include "tests/support/sample_figures.h"
#include "tests/support/scoped_environment.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

/// An empty folder of its own, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "highwater_samples_XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string errorOf(const std::string& name) { return test::mustFail(openModel(name, {})).text(); }

}  // namespace

TEST_CASE("every sample opens by its name with all sizes known", "[samples]") {
  const auto samples = sampleCatalog();
  REQUIRE(samples.size() >= 24);
  for (const SampleInfo& sample : samples) {
    INFO(sample.name);
    const auto model = test::must(openModel("samples:" + sample.name, {}));
    CHECK(model.name == sample.name);
    CHECK(model.path == "samples:" + sample.name);
    CHECK_FALSE(sample.summary.empty());
    CHECK_FALSE(model.graph->reordered);
    for (const TensorId id : model.graph->tensors.keys()) {
      const Tensor& tensor = model.graph->tensors[id];
      INFO(tensor.name << ": " << tensor.unknownReason);
      CHECK(tensor.bytes);
      CHECK(tensor.origin != SizeOrigin::assumed);
    }
  }
}

TEST_CASE("an opened sample has the ops, tensors and bytes the script built", "[samples]") {
  for (const SampleInfo& sample : sampleCatalog()) {
    INFO(sample.name);
    const Json figures = test::sampleFigures(sample.name);
    const auto model = test::must(openModel("samples:" + sample.name, {}));
    std::size_t planned = 0;
    Bytes total;
    Bytes weights;
    for (const Tensor& tensor : model.graph->tensors) {
      if (!tensor.constant) ++planned;
      (tensor.constant ? weights : total) += tensor.bytes.value_or(Bytes());
    }
    CHECK(model.graph->ops.size() == figures["ops"]);
    CHECK(planned == figures["tensors"]);
    CHECK(total.count() == figures["total"]);
    CHECK(weights.count() == figures["weights"]);
  }
}

TEST_CASE("zero_copy shows which ops are free and why the others copy", "[samples]") {
  const auto model = test::must(openModel("samples:zero_copy", {}));
  const Graph& graph = *model.graph;
  const Storage storage = shareStorage(graph, givenOrder(graph), {});
  std::vector<std::string> freeOps;
  for (const OpId op : graph.ops.keys()) {
    if (storage.free[op]) freeOps.push_back(graph.ops[op].name);
  }
  CHECK(freeOps == std::vector<std::string>{"halves", "both", "rows", "flat"});
  std::vector<std::string> copies;
  for (const CopyNote& copy : storage.copies) {
    copies.push_back(graph.ops[copy.op].name + " " + displayName(graph, copy.tensor));
    CHECK_FALSE(copy.reason.empty());
  }
  CHECK(copies == std::vector<std::string>{"again left", "columns columns.0", "columns columns.1",
                                           "swapped columns.1", "swapped columns.0"});
}

TEST_CASE("a sample is chosen by its whole name", "[samples]") {
  CHECK(errorOf("samples:resnet5") == "no sample is called 'resnet5'; did you mean 'resnet50'?");
  CHECK_THAT(errorOf("samples:"), Catch::StartsWith("no sample is called ''; there are "));
  CHECK_THAT(errorOf("samples:../samples/chain"), Catch::StartsWith("no sample is called '../"));
}

TEST_CASE("names without the prefix are paths", "[samples]") {
  const auto model =
      test::must(openModel(HIGHWATER_SOURCE_DIR "/sample_graphs/eight_tensors.csv", {}));
  CHECK(model.problem->stays.size() == 8);
  CHECK_FALSE(openModel("resnet50", {}));
}

TEST_CASE("HIGHWATER_SAMPLES names another folder", "[samples]") {
  const ScratchFolder folder;
  const test::ScopedEnvironment environment("HIGHWATER_SAMPLES", folder.path().string());

  SECTION("without an index it is refused, not replaced by another") {
    CHECK(sampleCatalog().empty());
    CHECK_THAT(errorOf("samples:chain"),
               Catch::StartsWith("there are no sample models: no index.json in '" +
                                 folder.path().string() + "'"));
  }
  SECTION("with an index it is used") {
    std::ofstream(folder.path() / "mine.csv") << "id,lower,upper,size\na,0,1,4\n";
    std::ofstream(folder.path() / "index.json")
        << R"({"samples": [{"name": "own", "file": "mine.csv", "summary": "s"}]})";
    REQUIRE(sampleCatalog().size() == 1);
    const auto model = test::must(openModel("samples:own", {}));
    CHECK(model.name == "own");
  }
  SECTION("a broken index is an error that names it") {
    const auto [text, error] = GENERATE(table<std::string, std::string>({
        {"[]", "expected an object with an array \"samples\""},
        {R"({"samples": [3]})", "a sample needs a \"name\""},
        {R"({"samples": [{"name": "a", "file": "../a.csv"}]})", "a sample needs a \"name\""},
        {"{", "index.json"},
    }));
    std::ofstream(folder.path() / "index.json") << text;
    CHECK_THAT(errorOf("samples:a"), Catch::Contains(error) && Catch::Contains("index.json"));
    CHECK(sampleCatalog().empty());
  }
}

}  // namespace hw
