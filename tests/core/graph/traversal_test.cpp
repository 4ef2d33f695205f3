#include "core/graph/traversal.h"

#include <catch2/catch.hpp>

#include "core/import/graph_builder.h"

using namespace hw;

namespace {

/// x -> f -> y, and what else is asked for: a dead branch x -> g -> d, a lone v -> h -> w.
Graph graphWith(bool deadBranch, bool lonePart) {
  GraphBuilder builder("test", "test");
  const auto tensor = [&](const char* name) {
    return builder.addTensor(
        {.name = name, .dtype = Dtype::int8, .shape = Shape{4}, .bytes = Bytes(4)});
  };
  const auto op = [&](const char* name, GraphBuilder::Handle from, GraphBuilder::Handle to) {
    builder.addOp({.op = {.name = name, .type = "Relu"}, .inputs = {from}, .outputs = {to}});
  };
  const auto x = tensor("x");
  const auto y = tensor("y");
  builder.addInput(x);
  builder.addOutput(y);
  op("f", x, y);
  if (deadBranch) op("g", x, tensor("d"));
  if (lonePart) {
    const auto v = tensor("v");
    const auto w = tensor("w");
    builder.addInput(v);
    builder.addOutput(w);
    op("h", v, w);
  }
  auto graph = std::move(builder).build();
  REQUIRE(graph.has_value());
  return *graph;
}

}  // namespace

TEST_CASE("ops that reach no output are found, and noted", "[graph]") {
  CHECK(opsWithoutEffect(graphWith(false, true)).empty());
  const Graph graph = graphWith(true, false);
  const std::vector<OpId> idle = opsWithoutEffect(graph);
  REQUIRE(idle.size() == 1);
  CHECK(graph.ops[idle[0]].name == "g");
  REQUIRE(graph.notes.size() == 1);
  CHECK(graph.notes[0] == "1 operator reaches no graph output (first: g)");
}

TEST_CASE("parts that share no tensor are counted; a shared input joins", "[graph]") {
  CHECK(countParts(graphWith(false, false)) == 1);
  CHECK(countParts(graphWith(true, false)) == 1);
  CHECK(countParts(graphWith(true, true)) == 2);
}
