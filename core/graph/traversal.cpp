#include "core/graph/traversal.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>

namespace hw {
namespace {

/// Calls `link(producer, consumer)` for every tensor that goes from one op to another.
template <class Link>
void forEachUse(const Graph& graph, Link link) {
  for (const Tensor& tensor : graph.tensors) {
    if (!tensor.producer || tensor.constant) continue;
    for (const OpId reader : tensor.consumers) link(tensor.producer, reader);
  }
}

/// Works on what outlives the run, or hands out nothing: it is there for its effect.
bool hasSideEffect(const Graph& graph, const Op& op) {
  const auto persists = [&](TensorId id) { return id && graph.tensors[id].persistent; };
  return op.outputs.empty() || std::ranges::any_of(op.inputs, persists) ||
         std::ranges::any_of(op.outputs, persists);
}

}  // namespace

std::vector<OpId> opsWithoutEffect(const Graph& graph) {
  if (graph.outputs.empty()) return {};
  using Backwards = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  // One more vertex stands for the outside, which reads the graph outputs.
  const std::size_t outside = graph.ops.size();
  Backwards backwards(outside + 1);
  forEachUse(graph, [&](OpId producer, OpId reader) {
    boost::add_edge(reader.index(), producer.index(), backwards);
  });
  for (const TensorId id : graph.outputs) {
    const OpId producer = graph.tensors[id].producer;
    if (producer) boost::add_edge(outside, producer.index(), backwards);
  }
  for (const OpId op : graph.ops.keys()) {
    if (hasSideEffect(graph, graph.ops[op])) boost::add_edge(outside, op.index(), backwards);
  }
  std::vector<boost::default_color_type> colors(outside + 1, boost::white_color);
  const auto color =
      boost::make_iterator_property_map(colors.begin(), boost::get(boost::vertex_index, backwards));
  boost::breadth_first_search(backwards, outside, boost::color_map(color));
  std::vector<OpId> without;
  for (const OpId op : graph.ops.keys()) {
    const bool reached = colors[op.index()] != boost::white_color;
    if (!reached && !graph.ops[op].folded) without.push_back(op);
  }
  return without;
}

std::size_t countParts(const Graph& graph) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> links(graph.ops.size());
  forEachUse(graph, [&](OpId producer, OpId reader) {
    boost::add_edge(producer.index(), reader.index(), links);
  });
  // Readers of one graph input belong together although no op made it.
  for (const TensorId id : graph.inputs) {
    const std::vector<OpId>& readers = graph.tensors[id].consumers;
    for (const OpId reader : readers) {
      boost::add_edge(readers.front().index(), reader.index(), links);
    }
  }
  std::vector<std::size_t> part(graph.ops.size());
  boost::connected_components(links, boost::make_iterator_property_map(
                                         part.begin(), boost::get(boost::vertex_index, links)));
  std::vector<bool> seen(graph.ops.size(), false);
  std::size_t parts = 0;
  for (const OpId op : graph.ops.keys()) {
    const bool stands = graph.ops[op].inputs.empty() && graph.ops[op].outputs.empty();
    if (graph.ops[op].folded || stands || seen[part[op.index()]]) continue;
    seen[part[op.index()]] = true;
    ++parts;
  }
  return parts;
}

}  // namespace hw
