#include "core/graph/traversal.h"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/pending/queue.hpp>
#include <set>

#include "core/graph/boost_graph.h"

namespace hw {
namespace {

/// Works on what outlives the run, or hands out nothing: it is there for its effect.
bool hasSideEffect(const Graph& graph, const Op& op) {
  const auto persists = [&](TensorId id) { return id && graph.tensors[id].persistent; };
  return op.outputs.empty() || std::ranges::any_of(op.inputs, persists) ||
         std::ranges::any_of(op.outputs, persists);
}

}  // namespace

std::vector<OpId> opsWithoutEffect(const Graph& graph) {
  if (graph.outputs.empty()) return {};
  std::vector<OpId> wanted;
  for (const TensorId id : graph.outputs) {
    if (const OpId producer = graph.tensors[id].producer) wanted.push_back(producer);
  }
  for (const OpId op : graph.ops.keys()) {
    if (hasSideEffect(graph, graph.ops[op])) wanted.push_back(op);
  }
  IdMap<OpId, boost::default_color_type> colors(graph.ops.size());
  boost::queue<OpId> queue;
  boost::breadth_first_visit(boost::make_reverse_graph(graph), wanted.begin(), wanted.end(), queue,
                             boost::default_bfs_visitor(), opMap(colors));
  std::vector<OpId> without = graph.ops.keys().toVector();
  std::erase_if(without,
                [&](OpId op) { return graph.ops[op].folded || colors[op] != boost::white_color; });
  return without;
}

std::size_t countParts(const Graph& graph) {
  IdMap<OpId, std::size_t> rank(graph.ops.size());
  IdMap<OpId, OpId> parent(graph.ops.size());
  boost::disjoint_sets parts(opMap(rank), opMap(parent));
  for (const OpId op : graph.ops.keys()) parts.make_set(op);
  for (const Tensor& tensor : graph.tensors) {
    // Readers of one graph input belong together although no op made it.
    if (tensor.constant || tensor.consumers.empty()) continue;
    if (!tensor.producer && !tensor.graphInput) continue;
    const OpId first = tensor.producer ? tensor.producer : tensor.consumers.front();
    for (const OpId reader : tensor.consumers) parts.union_set(first, reader);
  }
  std::set<OpId> distinct;
  for (const OpId op : graph.ops.keys()) {
    const bool stands = graph.ops[op].inputs.empty() && graph.ops[op].outputs.empty();
    if (!graph.ops[op].folded && !stands) distinct.insert(parts.find_set(op));
  }
  return distinct.size();
}

}  // namespace hw
