#include "core/graph/stable_order.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <functional>
#include <numeric>
#include <queue>

namespace hw {
namespace {

using Digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Digraph digraph(std::size_t count, const std::vector<OrderConstraint>& constraints) {
  return Digraph(constraints.begin(), constraints.end(), count);
}

}  // namespace

// Kahn's algorithm with a priority queue; Boost's own sort gives some order, not the stable one.
std::vector<std::size_t> stableOrder(std::size_t count,
                                     const std::vector<OrderConstraint>& constraints) {
  const auto agrees = [](const OrderConstraint& constraint) {
    return constraint.first < constraint.second;
  };
  if (std::ranges::all_of(constraints, agrees)) {  // Most files are in order.
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }
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

}  // namespace hw
