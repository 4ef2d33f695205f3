#include "core/graph/traversal.h"

#include <algorithm>
#include <random>

#include "core/rewrite/graph_builder.h"
#include "tests/support/must.h"

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
  return test::must(std::move(builder).build());
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

namespace {

using Order = std::vector<std::size_t>;
using OrderConstraints = std::vector<OrderConstraint>;

}  // namespace

TEST_CASE("what is in order stays as it is", "[graph][order]") {
  const OrderConstraints constraints = {{0, 2}, {1, 3}, {2, 3}};
  CHECK(runtimeOrder(4, constraints) == Order{0, 1, 2, 3});
  CHECK(stableOrder(4, constraints) == Order{0, 1, 2, 3});
}

TEST_CASE("ONNX Runtime runs the last branch first, whatever order is fine", "[graph][order]") {
  CHECK(executedOrder(4, {{0, 2}, {1, 3}, {2, 3}}) == Order{0, 2, 1, 3});
}

TEST_CASE("what is not runs branch by branch, as ONNX Runtime has it", "[graph][order]") {
  // 3 -> 0 -> 2 and 4 -> 1 -> 2: one branch to its end, then the other.
  const OrderConstraints constraints = {{3, 0}, {0, 2}, {4, 1}, {1, 2}};
  CHECK(runtimeOrder(5, constraints) == Order{4, 1, 3, 0, 2});
  CHECK(stableOrder(5, constraints) == Order{3, 0, 4, 1, 2});
  // Of two ends the last comes first.
  CHECK(runtimeOrder(4, {{3, 0}, {2, 1}}) == Order{2, 1, 3, 0});
}

TEST_CASE("orders of a runtime respect all constraints, cycles have none",
          "[graph][order][property]") {
  std::mt19937 dice(7);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 2 + dice() % 12;
    Order names(count);
    for (std::size_t i = 0; i < count; ++i) names[i] = i;
    std::shuffle(names.begin(), names.end(), dice);
    OrderConstraints constraints;
    for (std::size_t i = dice() % (2 * count); i > 0; --i) {
      const std::size_t first = dice() % (count - 1);
      const std::size_t second = first + 1 + dice() % (count - 1 - first);
      constraints.emplace_back(names[first], names[second]);
    }
    CAPTURE(round, count);
    const Order order = runtimeOrder(count, constraints);
    REQUIRE(order.size() == count);
    Order place(count, count);
    for (std::size_t at = 0; at < count; ++at) place[order[at]] = at;
    for (const auto& [first, second] : constraints) CHECK(place[first] < place[second]);
    if (constraints.empty()) continue;
    constraints.emplace_back(constraints.front().second, constraints.front().first);
    CHECK(runtimeOrder(count, constraints).size() < count);
  }
}
