#include "core/import/weight_bytes.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/platforms.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/support/must.h"
#include "tests/support/scratch_folder.h"

using namespace hw;

namespace {

Result<Model> openedWith(const std::string& csv) {
  const test::ScratchFolder folder;
  folder.write("weights.csv", csv);
  return openModel("samples:resnet8", {.weightBytes = folder.file("weights.csv")});
}

/// Bytes of weights that operators read, on a machine that stores them as they are.
std::vector<Bytes> readBy(const std::shared_ptr<const Model>& model, TileRule tile) {
  RunRequest request = defaultRequest();
  request.tile = tile;
  request.platform = test::must(findPlatform("generic-npu"));
  const auto run = test::must(execute(model, request, {}));
  std::vector<Bytes> read;
  for (const OpTiming& op : run->timing.ops) read.push_back(op.weights);
  return read;
}

}  // namespace

TEST_CASE("weights move as many bytes as a table says", "[import][weights]") {
  const auto plain = std::make_shared<const Model>(test::must(openModel("samples:resnet8", {})));
  const auto told =
      std::make_shared<const Model>(test::must(openedWith("operator,bytes\nconv0,100\n1,4608\n")));
  const auto before = readBy(plain, TileRule::off);
  const auto after = readBy(told, TileRule::off);
  REQUIRE(before.size() == after.size());
  CHECK(before[0] == Bytes(16 * 3 * 3 * 3 + 64));
  CHECK(after[0] == Bytes(100 + 64));  // Biases as they are.
  CHECK(after[1] == Bytes(4608 + 64));
  for (std::size_t at = 2; at < before.size(); ++at) CHECK(before[at] == after[at]);
  // Planned bytes, and the model's own, stay.
  CHECK(told->graph->tensors.size() == plain->graph->tensors.size());
  for (const TensorId id : plain->graph->tensors.keys()) {
    CHECK(told->graph->tensors[id].bytes == plain->graph->tensors[id].bytes);
  }
}

TEST_CASE("parts of an operator read their share of the bytes that a table says",
          "[import][weights][tile]") {
  const auto told =
      std::make_shared<const Model>(test::must(openedWith("operator,bytes\nconv0,100\n")));
  const auto parts = readBy(told, TileRule::lines);
  CHECK(std::ranges::count(parts, Bytes(164)) > 1);
  CHECK(std::ranges::count(parts, Bytes(16 * 3 * 3 * 3 + 64)) == 0);
}

TEST_CASE("operators without a name have the one that commands show", "[import][weights]") {
  const test::ScratchFolder folder;
  folder.write("weights.csv", "operator,bytes\nGemm_0,6\n");
  Graph graph;
  graph.tensors.resize(2);
  graph.tensors[TensorId(1)] = {.shape = Shape{3, 4}, .bytes = Bytes(12), .constant = true};
  graph.ops.add({.type = "Gemm", .inputs = {TensorId(0), TensorId(1)}});
  test::must(applyWeightBytes(folder.file("weights.csv"), graph));
  CHECK(graph.tensors[TensorId(1)].weightRatio == 0.5);
  // Another reads the same weights, and says other bytes; a third has the name of the first.
  graph.ops.add({.name = "other", .type = "Gemm", .inputs = {TensorId(0), TensorId(1)}});
  folder.write("weights.csv", "operator,bytes\nGemm_0,6\nother,7\n");
  CHECK_THAT(test::mustFail(applyWeightBytes(folder.file("weights.csv"), graph)).text(),
             Catch::Contains("'other' has weights of which another row says other bytes"));
  graph.ops.add({.name = "Gemm_0", .type = "Gemm", .inputs = {TensorId(0), TensorId(1)}});
  CHECK_THAT(test::mustFail(applyWeightBytes(folder.file("weights.csv"), graph)).text(),
             Catch::Contains("'Gemm_0' is several operators: give its number (line 2)"));
}

TEST_CASE("bytes of weights that somebody said count before the ratio of a unit",
          "[import][weights]") {
  UnitSpec unit;
  unit.cost.weightRatio = 0.5;
  Tensor weight{.dtype = Dtype::int8, .shape = Shape{4, 25}, .weightRatio = 0.25};
  CHECK(storedBytes(unit, weight, Bytes(100)) == Bytes(25));
  CHECK(storedBytes(unit, weight, Bytes(1)) == Bytes(1));
  weight.weightRatio = 0;
  CHECK(storedBytes(unit, weight, Bytes(100)) == Bytes(50));
  RunRequest request = defaultRequest();
  test::must(findOption("weight-bytes")->parse("weights.csv", request));
  CHECK(request.import.weightBytes == "weights.csv");
  CHECK(findOption("weight-bytes")->print(request) == std::vector<std::string>{"weights.csv"});
}

TEST_CASE("tables of weights say what is wrong with them", "[import][weights]") {
  const std::pair<const char*, const char*> kBad[] = {
      {"operator,bytes\nconv9,100\n", "operator 'conv9' is no operator of the model (line 2)"},
      {"operator,bytes\n16,100\n", "operator '16' is no operator of the model"},
      {"operator,bytes\nstage1_add,100\n", "operator 'stage1_add' has no weights of known size"},
      {"operator,bytes\nconv0,100\nconv0,90\n",
       "operator 'conv0' has weights of which another row says other bytes (line 3)"},
      {"operator,bytes\nconv0,0\n", "bytes '0'"},
      {"operator,bytes\nconv0,many\n", "bytes 'many'"},
      {"operator,bytes\nconv0,\n", "operator 'conv0' has no bytes"},
      {"operator,cycles\nconv0,3\n", "operator,bytes"}};
  for (const auto& [csv, words] : kBad) {
    CAPTURE(csv);
    const std::string text = test::mustFail(openedWith(csv)).text();
    CHECK_THAT(text, Catch::Contains(words));
    CHECK_THAT(text, Catch::Contains("weights.csv: "));
  }
  CHECK_THAT(test::mustFail(openModel("samples:resnet8", {.weightBytes = "/no/such.csv"})).text(),
             Catch::Contains("/no/such.csv"));
}
