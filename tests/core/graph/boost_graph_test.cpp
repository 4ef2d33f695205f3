// What Boost.Graph offers works on a model as it is.
#include "core/graph/boost_graph.h"

#include <boost/graph/connected_components.hpp>
#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/graphs.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<OpIndex, OpId>));
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<BothWays>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<BothWays>));

///        +-- left 5 -> l --+
///   stem s 9               join -> y     mul reads s twice: one edge
///        +-- right 2 -> r -+
///        +---------- mul 3 ----> z
Graph diamond() {
  return test::drawnGraph({.tensors = {{"x", 1}, {"s", 9}, {"l", 5}, {"r", 2}, {"y", 7}, {"z", 3}},
                           .inputs = {"x"},
                           .ops = {"stem: Op x -> s", "left: Op s -> l", "right: Op s -> r",
                                   "join: Op l, r -> y", "mul: Op s, s -> z"},
                           .outputs = {"y", "z"}});
}

constexpr OpId kStem{0}, kLeft{1}, kRight{2}, kJoin{3}, kMul{4};

std::int64_t bytesOf(const Graph& graph, const DataEdge& edge) {
  return graph.tensors[edge.tensor].bytes->count();
}

}  // namespace

TEST_CASE("an edge is a tensor between two ops, the same from both ends", "[graph]") {
  const Graph graph = diamond();
  CHECK(out_degree(kStem, graph) == 3);
  CHECK(in_degree(kMul, graph) == 1);
  CHECK(degree(kJoin, graph) == 2);
  for (const std::uint64_t seed : test::Seeds(40)) {
    const Graph random = test::randomGraph(seed, 30);
    DataEdges out, in;
    for (const OpId op : random.ops.keys()) {
      const auto [first, last] = out_edges(op, random);
      out.insert(out.end(), first, last);
      const auto [begin, end] = in_edges(op, random);
      in.insert(in.end(), begin, end);
    }
    std::ranges::sort(out);
    std::ranges::sort(in);
    CHECK(out == in);
    CHECK(std::ranges::adjacent_find(out) == out.end());
  }
}

TEST_CASE("Boost sorts a model and finds its longest path", "[graph]") {
  const Graph graph = diamond();
  std::vector<OpId> backwards;
  boost::topological_sort(graph, std::back_inserter(backwards));
  const auto place = [&](OpId op) { return std::ranges::find(backwards, op) - backwards.begin(); };
  CHECK(place(kJoin) < place(kLeft));
  CHECK(place(kLeft) < place(kStem));
  CHECK(place(kJoin) < place(kRight));
  CHECK(place(kMul) < place(kStem));

  IdMap<OpId, std::int64_t> far(graph.ops.size());
  IdMap<OpId, boost::default_color_type> colors(graph.ops.size());
  IdMap<OpId, OpId> before(graph.ops.size());
  const auto weight = boost::make_function_property_map<DataEdge>(
      [&](const DataEdge& edge) { return bytesOf(graph, edge); });
  boost::dag_shortest_paths(graph, kStem, opMap(far), weight, opMap(colors), opMap(before),
                            boost::dijkstra_visitor<>(), std::greater<>(), std::plus<>(),
                            std::int64_t{-1}, std::int64_t{0});
  CHECK(far[kJoin] == 14);
  CHECK(before[kJoin] == kLeft);
}

TEST_CASE("an op dominates what cannot be reached without it", "[graph]") {
  const Graph graph = diamond();
  IdMap<OpId, OpId> dominator(graph.ops.size());
  boost::lengauer_tarjan_dominator_tree(graph, kStem, opMap(dominator));
  CHECK(dominator == IdMap<OpId, OpId>{OpId(), kStem, kStem, kStem, kStem});
  const Graph chain = test::chainGraph();
  IdMap<OpId, OpId> one(chain.ops.size());
  boost::lengauer_tarjan_dominator_tree(chain, OpId(0), opMap(one));
  CHECK(one == IdMap<OpId, OpId>{OpId(), OpId(0), OpId(1), OpId(2)});
}

TEST_CASE("the least bytes between two ops are a flow, both ways are components", "[graph]") {
  const Graph graph = diamond();
  BothWays both{graph};
  std::map<DataEdge, std::int64_t> rest;
  IdMap<OpId, boost::default_color_type> colors(graph.ops.size());
  IdMap<OpId, DataEdge> before(graph.ops.size());
  const auto capacity = boost::make_function_property_map<DataEdge>([&](const DataEdge& edge) {
    return graph.tensors[edge.tensor].producer == edge.source ? bytesOf(graph, edge) : 0;
  });
  const auto back = boost::make_function_property_map<DataEdge>(
      [](const DataEdge& edge) { return reverse(edge); });
  const auto flow = boost::edmonds_karp_max_flow(both, kStem, kJoin, capacity,
                                                 boost::make_assoc_property_map(rest), back,
                                                 opMap(colors), opMap(before));
  CHECK(flow == 7);  // The cut is behind left and right, where 5 and 2 bytes pass.
  IdMap<OpId, std::size_t> part(graph.ops.size());
  CHECK(boost::connected_components(both, opMap(part)) == 1);
}
