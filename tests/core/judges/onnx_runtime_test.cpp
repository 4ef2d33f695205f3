// Models in parts on the real ONNX Runtime: the bytes that it asks for, and what it makes.

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/base/json.h"
#include "core/shrink/ort/ort_shrink.h"
#include "core/tile/tile.h"
#include "tests/support/corpus.h"
#include "tests/support/must.h"
#include "tests/support/onnx_networks.h"
#include "tests/support/scratch_folder.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

/// Program that runs ONNX files with ONNX Runtime (docs/formats/onnx.md), with a folder for its
/// files.
class OnnxRuntime {
 public:
  /// False, with a warning, where no program is named.
  static bool isThere() {
    if (std::getenv("HIGHWATER_ORT_NODE") != nullptr) return true;
    WARN("skipped: no ONNX Runtime to run (set HIGHWATER_ORT_NODE to a program)");
    return false;
  }

  struct Ran {
    std::int64_t peak = 0;
    std::vector<float> outputs{};
  };

  Ran run(const std::string& model, const std::map<std::string, std::int64_t>& sizes) const {
    const std::string file = (folder_ / "model.onnx").string();
    const std::string dump = (folder_ / "dump").string();
    const std::string printed = (folder_ / "printed").string();
    std::ofstream(file, std::ios::binary) << model;
    std::string line =
        std::string("'") + std::getenv("HIGHWATER_ORT_NODE") + "' " + file + " " + dump;
    for (const auto& [name, size] : sizes) line += " " + name + "=" + std::to_string(size);
    const int code = std::system((line + " > " + printed + " 2>&1").c_str());
    const std::string said = contentOf(printed);
    CAPTURE(said);
    REQUIRE(code == 0);
    Ran ran{.peak = Json::parse(said).at("peak").get<std::int64_t>()};
    const std::string bytes = contentOf(dump);
    ran.outputs.resize(bytes.size() / sizeof(float));
    std::memcpy(ran.outputs.data(), bytes.data(), ran.outputs.size() * sizeof(float));
    return ran;
  }

 private:
  static std::string contentOf(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  ScratchFolder folder_;
};

/// Its kernels may add up in another order where they have fewer rows.
void checkAlike(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  float most = 0;
  for (const float value : a) most = std::max(most, std::abs(value));
  std::size_t other = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= 1e-4F * most)) ++other;
  }
  CHECK(other == 0);
}

std::string filledModel(const fs::path& file) {
  onnx::ModelProto model;
  std::ifstream stream(file, std::ios::binary);
  REQUIRE(model.ParseFromIstream(&stream));
  fillWeights(model, 1);
  return model.SerializeAsString();
}

TEST_CASE("ONNX Runtime asks for the bytes that are predicted of models in parts",
          "[judges][onnx][corpus]") {
  const auto corpus = corpusFolder("onnx");
  if (!corpus || !OnnxRuntime::isThere()) return;
  const OnnxRuntime runtime;
  const std::pair<const char*, double> wanted[] = {{"ultraface_slim_320_simplified", 0.21},
                                                   {"ext_FastestDet", 0.33},
                                                   {"light_squeezenet", 0.35},
                                                   {"keijiro_blazeface_back_256", 0.44}};
  for (const auto& [name, most] : wanted) {
    CAPTURE(name);
    const std::string model = filledModel(*corpus / (std::string(name) + ".onnx"));
    const auto source = test::must(onnxSource(model, {}));
    const auto made = test::must(shrinkForOrt(source, {.threads = 2}));
    std::map<std::string, std::int64_t> sizes;
    const std::string& freed = made.best().freed;
    if (!freed.empty())
      sizes[freed.substr(0, freed.find('='))] = std::stoll(freed.substr(freed.find('=') + 1));
    const auto before = runtime.run(model, {});
    const auto after = runtime.run(made.file, sizes);
    CHECK(before.peak == made.ways[0].total().count());
    CHECK(after.peak == made.best().total().count());
    const double part = static_cast<double>(after.peak) / static_cast<double>(before.peak);
    CHECK(part <= most);
    checkAlike(before.outputs, after.outputs);
    std::size_t same = 0;
    for (std::size_t i = 0; i < after.outputs.size(); ++i)
      same += before.outputs[i] == after.outputs[i];
    WARN(name << ": " << after.peak << " of " << before.peak << " bytes, " << part << "; " << same
              << " of " << after.outputs.size() << " outputs have the same bits");
  }
}

TEST_CASE("ONNX Runtime makes the same of a model line by line", "[judges][onnx][corpus]") {
  const auto corpus = corpusFolder("onnx");
  if (!corpus || !OnnxRuntime::isThere()) return;
  const OnnxRuntime runtime;
  const std::string model = filledModel(*corpus / "ultraface_slim_320_simplified.onnx");
  const auto source = test::must(onnxSource(model, {}));
  const TileRule rule = GENERATE(TileRule::lines, TileRule::stripes, TileRule::patches);
  CAPTURE(tileRuleName(rule));
  const auto program = test::must(tiled(source.model.graph, givenOrder(source.graph()),
                                        {.alignment = Bytes(1)}, {.rule = rule}));
  std::vector<std::string> notes;
  const auto parts = test::must(onnxParts(*program.graph, source.graph(), notes));
  const auto nodes = test::must(partProgram(source.graph(), parts));
  const auto least = test::must(leastOnnxFile(source, nodes));
  const auto before = runtime.run(model, {});
  const auto after = runtime.run(least.file.bytes, least.file.freed);
  checkAlike(before.outputs, after.outputs);
  CHECK(after.peak == least.peak.count());
  WARN(parts.size() << " parts: " << after.peak << " of " << before.peak << " bytes");
}

}  // namespace
}  // namespace hw::test
