#pragma once

#include <algorithm>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_container_iterator.hpp>
#include <iterator>
#include <utility>
#include <vector>

#include "core/graph/graph.h"

/// hw::Graph as Boost.Graph reads it, without a copy: vertices are ops, edges the tensors that go
/// from one op to another. A model of VertexListGraph and BidirectionalGraph. Boost takes long to
/// compile: include this in .cpp files only.
namespace hw {

/// A tensor on its way from the op that makes it to one that reads it.
struct DataEdge {
  OpId source{};
  TensorId tensor{};
  OpId target{};
  friend constexpr auto operator<=>(const DataEdge&, const DataEdge&) = default;
};

/// The graph with each edge a second time, its ends exchanged: flows need a way back, and what
/// looks for components sees no direction.
struct BothWays {
  const Graph& graph;
};

using DataEdges = std::vector<DataEdge>;
using DataEdgeIterator = boost::shared_container_iterator<DataEdges>;  ///< Keeps an op's edges.
using DataEdgeRange = std::pair<DataEdgeIterator, DataEdgeIterator>;
using OpIterator = IdRange<OpId>::Iterator;

/// The number of an op, for maps that are vectors.
struct OpIndex : boost::put_get_helper<std::size_t, OpIndex> {
  using key_type = OpId;
  using value_type = std::size_t;
  using reference = std::size_t;
  using category = boost::readable_property_map_tag;
  std::size_t operator[](OpId op) const { return op.index(); }
};

/// `values` as a map that Boost reads and writes.
template <class Value>
auto opMap(IdMap<OpId, Value>& values) {
  return boost::make_iterator_property_map(values.begin(), OpIndex());
}

// Names that Boost.Graph asks for.
// NOLINTBEGIN(readability-identifier-naming)
inline std::pair<OpIterator, OpIterator> vertices(const Graph& graph) {
  return {graph.ops.keys().begin(), graph.ops.keys().end()};
}
inline std::size_t num_vertices(const Graph& graph) { return graph.ops.size(); }
inline OpId source(const DataEdge& edge, const Graph&) { return edge.source; }
inline OpId target(const DataEdge& edge, const Graph&) { return edge.target; }
inline OpIndex get(boost::vertex_index_t, const Graph&) { return {}; }
inline std::size_t get(boost::vertex_index_t, const Graph&, OpId op) { return op.index(); }

inline DataEdgeRange out_edges(OpId op, const Graph& graph) {
  const auto edges = boost::make_shared<DataEdges>();
  for (const TensorId tensor : graph.ops[op].outputs) {
    if (!tensor) continue;
    for (const OpId reader : graph.tensors[tensor].consumers) {
      edges->push_back({op, tensor, reader});
    }
  }
  return boost::make_shared_container_range(edges);
}

inline DataEdgeRange in_edges(OpId op, const Graph& graph) {
  const auto edges = boost::make_shared<DataEdges>();
  for (const TensorId tensor : graph.reads(op)) {
    if (const OpId maker = graph.tensors[tensor].producer) edges->push_back({maker, tensor, op});
  }
  return boost::make_shared_container_range(edges);
}

template <class Edges>
std::size_t countEdges(const Edges& edges) {
  return static_cast<std::size_t>(edges.second - edges.first);
}
inline std::size_t out_degree(OpId op, const Graph& graph) {
  return countEdges(out_edges(op, graph));
}
inline std::size_t in_degree(OpId op, const Graph& graph) {
  return countEdges(in_edges(op, graph));
}
inline std::size_t degree(OpId op, const Graph& graph) {
  return in_degree(op, graph) + out_degree(op, graph);
}

inline auto vertices(const BothWays& both) { return vertices(both.graph); }
inline std::size_t num_vertices(const BothWays& both) { return num_vertices(both.graph); }
inline OpId source(const DataEdge& edge, const BothWays&) { return edge.source; }
inline OpId target(const DataEdge& edge, const BothWays&) { return edge.target; }
inline OpIndex get(boost::vertex_index_t, const BothWays&) { return {}; }
inline DataEdge reverse(const DataEdge& edge) { return {edge.target, edge.tensor, edge.source}; }

inline DataEdgeRange out_edges(OpId op, const BothWays& both) {
  const auto [out, outEnd] = out_edges(op, both.graph);
  const auto [in, inEnd] = in_edges(op, both.graph);
  const auto edges = boost::make_shared<DataEdges>(out, outEnd);
  std::transform(in, inEnd, std::back_inserter(*edges), reverse);
  return boost::make_shared_container_range(edges);
}
inline std::size_t out_degree(OpId op, const BothWays& both) { return degree(op, both.graph); }

/// Traits that Boost asks of both.
template <class Direction>
struct OpGraphTraits {
  struct traversal_category : boost::bidirectional_graph_tag, boost::vertex_list_graph_tag {};
  using vertex_descriptor = OpId;
  using edge_descriptor = DataEdge;
  using directed_category = Direction;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_iterator = OpIterator;
  using edge_iterator = DataEdgeIterator;  ///< Named by views of graphs, never made.
  using out_edge_iterator = DataEdgeIterator;
  using in_edge_iterator = DataEdgeIterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static OpId null_vertex() { return {}; }
};
struct OpIndexMap {
  using type = OpIndex;
  using const_type = OpIndex;
};

// NOLINTEND(readability-identifier-naming)

}  // namespace hw

template <>
struct boost::graph_traits<hw::Graph> : hw::OpGraphTraits<boost::bidirectional_tag> {};
template <>
struct boost::graph_traits<hw::BothWays> : hw::OpGraphTraits<boost::undirected_tag> {};
template <>
struct boost::property_map<hw::Graph, boost::vertex_index_t> : hw::OpIndexMap {};
template <>
struct boost::property_map<hw::BothWays, boost::vertex_index_t> : hw::OpIndexMap {};
