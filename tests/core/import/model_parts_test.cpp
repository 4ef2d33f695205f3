#include "core/import/importer.h"
#include "tests/support/must.h"
#include "tests/support/tflite_writer.h"

using namespace hw;

namespace {

using Text = TfliteText;

/// Subgraphs main and other, each one RELU; signatures as given.
Text twoSubgraphs(std::vector<Text::Signature> signatures) {
  constexpr std::int32_t kRelu = 19;
  Text::Subgraph graph{.name = "main"};
  graph.tensors = {{.name = "x", .shape = {4}}, {.name = "y", .shape = {4}}};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.operators = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
  Text::Subgraph other = graph;
  other.name = "other";
  return {.subgraphs = {graph, other}, .signatures = std::move(signatures)};
}

Model opened(const std::string& bytes, const std::string& part = {}) {
  return test::must(importModel(bytes, "net.tflite", {.subgraph = part}));
}

std::vector<std::string> keys(const Model& model) {
  std::vector<std::string> list;
  for (const ModelPart& part : model.parts) list.push_back(part.key);
  return list;
}

}  // namespace

TEST_CASE("a file of several models says what there is to choose from", "[import][tflite]") {
  using Keys = std::vector<std::string>;
  const std::string bytes = tfliteBytes(twoSubgraphs({{.key = "encode", .subgraph = 1}}));
  const Model main = opened(bytes);
  CHECK(keys(main) == Keys{"encode", "0"});
  CHECK(main.part == 1);
  CHECK(main.parts[0].label == "signature encode");
  CHECK(main.parts[1].label == "subgraph 0: main");
  // Each key opens what it names.
  for (std::size_t i = 0; i < main.parts.size(); ++i) {
    CHECK(opened(bytes, main.parts[i].key).part == i);
  }

  Text one = twoSubgraphs({});
  one.subgraphs.pop_back();
  CHECK(opened(tfliteBytes(one)).parts.empty());

  const std::string bundle =
      zipBytes({{"first.tflite", tfliteBytes(one)}, {"second.tflite", bytes}});
  const Model first = opened(bundle);
  CHECK(keys(first) == Keys{"first.tflite", "second.tflite"});
  CHECK(first.part == 0);
  const Model second = opened(bundle, "second.tflite:encode");
  CHECK(keys(second) == Keys{"first.tflite", "second.tflite:encode", "second.tflite:0"});
  CHECK(second.part == 1);
}
