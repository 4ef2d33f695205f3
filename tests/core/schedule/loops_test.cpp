// Loops whose turns stand one behind the other in the order of a graph.
#include "core/schedule/loops.h"

#include <catch2/catch.hpp>

#include "tests/support/graphs.h"

using namespace hw;

namespace {

/// Six operators in a line; the second begins a loop of so many turns, with so many operators.
Graph loopGraph(std::int64_t turns, std::int64_t operators) {
  Graph graph = test::drawnGraph(
      {.tensors = {{"a", 4}, {"b", 4}, {"c", 4}, {"d", 4}, {"e", 4}, {"f", 4}, {"g", 4}},
       .inputs = {"a"},
       .ops = {"Relu a -> b", "Relu b -> c", "Relu c -> d", "Relu d -> e", "Relu e -> f",
               "Relu f -> g"},
       .outputs = {"g"}});
  graph.ops[OpId(1)].attributes = {{"turns", turns}, {"operators_of_turns", operators}};
  return graph;
}

}  // namespace

TEST_CASE("a loop has the steps of its turns", "[schedule]") {
  const Graph graph = loopGraph(2, 4);
  const auto loops = loopTurns(graph, givenOrder(graph));
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].turns == 2);
  CHECK(loops[0].steps == Interval<Step>{Step(2), Step(6)});
}

TEST_CASE("what is no loop of equal turns is none", "[schedule]") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  for (const auto& [turns, operators] :
       std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
           {1, 4}, {0, 0}, {-2, -4}, {3, 4}, {4, 2}, {2, 6}, {2, kHuge}, {kHuge, kHuge}}) {
    CAPTURE(turns, operators);
    const Graph graph = loopGraph(turns, operators);
    CHECK(loopTurns(graph, givenOrder(graph)).empty());
  }
}
