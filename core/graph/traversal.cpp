#include "core/graph/traversal.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/pending/queue.hpp>
#include <functional>
#include <numeric>
#include <queue>
#include <set>

#include "core/graph/boost_graph.h"

namespace hw {
namespace {

using Digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Digraph digraph(std::size_t count, const std::vector<OrderConstraint>& constraints) {
  return Digraph(constraints.begin(), constraints.end(), count);
}

bool isKept(const std::vector<OrderConstraint>& constraints) {
  return std::ranges::all_of(constraints, [](const OrderConstraint& constraint) {
    return constraint.first < constraint.second;
  });
}

/// 0, 1, 2, ...: the order of the file.
std::vector<std::size_t> asGiven(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// True when every number comes after those it waits for.
bool respects(const std::vector<std::size_t>& order,
              const std::vector<OrderConstraint>& constraints) {
  std::vector<std::size_t> place(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  return std::ranges::all_of(constraints, [&](const OrderConstraint& constraint) {
    return place[constraint.first] < place[constraint.second];
  });
}

/// True for an op that exists for its effect: it changes what persists, or has no outputs.
bool hasSideEffect(const Graph& graph, const Op& op) {
  const auto persists = [&](TensorId id) { return id && graph.tensors[id].persistent; };
  return op.outputs.empty() || std::ranges::any_of(op.inputs, persists) ||
         std::ranges::any_of(op.outputs, persists);
}

}  // namespace

// Kahn's algorithm with a priority queue; Boost's own sort gives some order, not the stable one.
std::vector<std::size_t> stableOrder(std::size_t count,
                                     const std::vector<OrderConstraint>& constraints) {
  if (isKept(constraints)) return asGiven(count);  // Most files are in order.
  const Digraph graph = digraph(count, constraints);
  std::vector<std::size_t> waiting(count);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t number = 0; number < count; ++number) {
    waiting[number] = boost::in_degree(number, graph);
    if (waiting[number] == 0) ready.push(number);
  }
  std::vector<std::size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::size_t number = ready.top();
    ready.pop();
    order.push_back(number);
    const auto [begin, end] = boost::out_edges(number, graph);
    for (auto edge = begin; edge != end; ++edge) {
      const std::size_t after = boost::target(*edge, graph);
      if (--waiting[after] == 0) ready.push(after);
    }
  }
  return order;
}

std::vector<std::size_t> runtimeOrder(std::size_t count,
                                      const std::vector<OrderConstraint>& constraints) {
  return isKept(constraints) ? asGiven(count) : executedOrder(count, constraints);
}

std::vector<std::size_t> executedOrder(std::size_t count,
                                       const std::vector<OrderConstraint>& constraints) {
  std::vector<std::vector<std::size_t>> before(count);
  std::vector<bool> isAwaited(count);
  for (const auto& [first, second] : constraints) {
    before[second].push_back(first);
    isAwaited[first] = true;
  }
  for (auto& list : before) std::ranges::sort(list);
  struct Entry {
    std::size_t number;
    bool isDone;  // All that it waits for is in the order.
  };
  std::vector<Entry> stack;
  for (std::size_t number = 0; number < count; ++number) {
    if (!isAwaited[number]) stack.push_back({number, false});
  }
  std::vector<bool> isSeen(count);
  std::vector<std::size_t> order;
  order.reserve(count);
  while (!stack.empty()) {
    const Entry entry = stack.back();
    stack.pop_back();
    if (entry.isDone) order.push_back(entry.number);
    if (entry.isDone || isSeen[entry.number]) continue;
    isSeen[entry.number] = true;
    stack.push_back({entry.number, true});
    for (const std::size_t other : before[entry.number]) {
      if (!isSeen[other]) stack.push_back({other, false});
    }
  }
  // Numbers that depend on a cycle were never reached, or came too early.
  if (order.size() == count && !respects(order, constraints)) order.clear();
  return order;
}

std::vector<std::size_t> firstCycle(std::size_t count,
                                    const std::vector<OrderConstraint>& constraints) {
  const Digraph graph = digraph(count, constraints);
  std::vector<std::size_t> component(count);
  const std::size_t components = boost::strong_components(
      graph,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::size_t> sizes(components);
  for (const std::size_t id : component) ++sizes[id];
  std::size_t first = 0;
  while (first < count && sizes[component[first]] == 1 &&
         !boost::edge(first, first, graph).second) {
    ++first;
  }
  std::vector<std::size_t> members;
  for (std::size_t number = first; number < count; ++number) {
    if (component[number] == component[first]) members.push_back(number);
  }
  return members;
}

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
