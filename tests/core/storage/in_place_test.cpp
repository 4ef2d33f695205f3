// In-place aliasing: who may write over what, and what that does to the lower bound.

#include "core/import/importer.h"
#include "core/rewrite/graph_builder.h"
#include "core/rewrite/set_aside.h"
#include "core/storage/aliasing.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

/// A graph from lines such as "Relu a -> b"; x is the input, y the output; every tensor has shape
/// [1, 64] float32 unless `sizes` says otherwise.
Graph graphOf(const std::vector<std::vector<std::string>>& ops,
              const std::map<std::string, std::int64_t>& sizes = {}) {
  GraphBuilder builder("test", "test");
  std::map<std::string, GraphBuilder::Handle> handles;
  const auto handle = [&](const std::string& name) {
    const auto known = handles.find(name);
    if (known != handles.end()) return known->second;
    const std::int64_t width = sizes.contains(name) ? sizes.at(name) : 64;
    return handles[name] = builder.addTensor({.name = name,
                                              .dtype = Dtype::float32,
                                              .shape = Shape{1, width},
                                              .bytes = Bytes(width * 4)});
  };
  builder.addInput(handle("x"));
  for (const auto& words : ops) {
    GraphBuilder::OpParts parts;
    parts.op.type = words[0];
    parts.op.name = words.back();
    bool output = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "->") {
        output = true;
      } else {
        (output ? parts.outputs : parts.inputs).push_back(handle(words[i]));
      }
    }
    builder.addOp(parts);
  }
  builder.addOutput(handle("y"));
  return test::must(std::move(builder).build());
}

std::string inPlaceOutputs(const Graph& graph) {
  StorageOptions options{.alias = AliasRules::all(), .alignment = Bytes(1)};
  const Storage storage = shareStorage(graph, givenOrder(graph), options);
  std::string names;
  for (const TensorId id : storage.inPlace) names += graph.tensors[id].name + " ";
  return names;
}

}  // namespace

TEST_CASE("elementwise ops take over an input that dies", "[storage]") {
  CHECK(inPlaceOutputs(graphOf(
            {{"Conv", "x", "->", "a"}, {"Relu", "a", "->", "b"}, {"Conv", "b", "->", "y"}})) ==
        "b ");
  // a is read again later.
  CHECK(inPlaceOutputs(graphOf({{"Conv", "x", "->", "a"},
                                {"Relu", "a", "->", "b"},
                                {"Conv", "b", "->", "c"},
                                {"Gemm", "a", "c", "->", "y"}})) == "");
}

TEST_CASE("a binary op takes over the operand that is not broadcast", "[storage]") {
  CHECK(inPlaceOutputs(graphOf({{"Conv", "x", "->", "a"},
                                {"Conv", "x", "->", "b"},
                                {"Add", "a", "b", "->", "c"},
                                {"Conv", "c", "->", "y"}},
                               {{"a", 1}})) == "c ");
}

TEST_CASE("full convolutions and transposes never run in place", "[storage]") {
  for (const char* type : {"Conv", "Transpose", "Gemm", "LRN", "ArgMax"}) {
    CAPTURE(type);
    CHECK(inPlaceOutputs(graphOf(
              {{"Conv", "x", "->", "a"}, {type, "a", "->", "b"}, {"Conv", "b", "->", "y"}})) == "");
  }
}

TEST_CASE("a depthwise convolution that shrinks runs in place where that pays", "[storage]") {
  // x [1,1,8,8] -> a [1,16,8,8] -> depthwise, stride 2 -> b [1,16,4,4] -> c -> y, which reads b
  // too. b in a's place costs four times its size until the end: too much when c is wide.
  const auto [width, expected] =
      GENERATE(table<std::string, std::string>({{"2", "b "}, {"32", ""}}));
  const auto model =
      test::must(importModel(R"({"format": "highwater-graph", "version": 1, "tensors": [
      {"name": "x", "shape": [1, 1, 8, 8], "dtype": "int8"},
      {"name": "a", "shape": [1, 16, 8, 8], "dtype": "int8"},
      {"name": "b", "shape": [1, 16, 4, 4], "dtype": "int8"},
      {"name": "y", "shape": [1, 4], "dtype": "int8"},
      {"name": "c", "shape": [1, )" +
                                 width +
                                 R"(, 8, 8], "dtype": "int8"}],
      "inputs": ["x"], "outputs": ["y"], "ops": [
      {"type": "Conv", "inputs": ["x"], "outputs": ["a"]},
      {"type": "Conv", "inputs": ["a"], "outputs": ["b"], "attributes": {"group": 16}},
      {"type": "Conv", "inputs": ["b"], "outputs": ["c"]},
      {"type": "Gemm", "inputs": ["c", "b"], "outputs": ["y"]}]})",
                             "test.json", {}));
  CHECK(inPlaceOutputs(*model.graph) == "");  // There is no scratch.
  const auto aside = test::must(scratchSetAside(model.graph, [](OpId) { return true; }));
  CHECK(inPlaceOutputs(*aside) == expected);
}

TEST_CASE("an alias of the input keeps it alive", "[storage]") {
  CHECK(inPlaceOutputs(graphOf({{"Conv", "x", "->", "a"},
                                {"Identity", "a", "->", "v"},
                                {"Relu", "a", "->", "b"},
                                {"Gemm", "b", "v", "->", "y"}})) == "");
}

TEST_CASE("a graph output never overwrites a graph input", "[storage]") {
  CHECK(inPlaceOutputs(graphOf({{"Relu", "x", "->", "y"}})) == "");
}

TEST_CASE("a slice that would raise the lower bound is copied instead", "[storage]") {
  // a is made first and small; its slice of the wide concat would keep all of it alive while the
  // widest tensors of the graph live.
  //
  //   x -> a(16) ; x -> w(4096) -> z(4096) -> b(1024) ; concat(a, b) -> y(1040)
  const Graph graph =
      graphOf({{"Conv", "x", "->", "a"},
               {"Conv", "x", "->", "w"},
               {"Conv", "w", "->", "z"},
               {"Conv", "z", "->", "b"},
               {"Concat", "a", "b", "->", "y"}},
              {{"x", 16}, {"a", 16}, {"w", 4096}, {"z", 4096}, {"b", 1024}, {"y", 1040}});
  Graph joined = graph;
  for (const OpId op : joined.ops.keys()) {
    if (joined.ops[op].type == "Concat") joined.ops[op].attributes["axis"] = std::int64_t{1};
  }
  StorageOptions options{.alias = AliasRules(), .alignment = Bytes(1)};
  const Storage storage = shareStorage(joined, givenOrder(joined), options);
  REQUIRE(storage.copies.size() == 1);  // b is written where it belongs.
  CHECK(joined.tensors[storage.copies[0].tensor].name == "a");
  CHECK(storage.copies[0].reason.find("raises the lower bound") != std::string::npos);
}
