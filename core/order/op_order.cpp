#include "core/order/op_order.h"

#include <algorithm>
#include <array>
#include <deque>

namespace hw {
namespace {

/// Ops that can run wait in one line, and leave it at its `last` end or at its first.
Schedule lineOrder(const Graph& graph, bool last) {
  const Precedence precedence = precedenceOf(graph);
  IdMap<OpId, std::size_t> missing(graph.ops.size());
  std::deque<OpId> line;
  // From the last end they leave in the opposite of the order in which they came.
  const auto join = [&](std::vector<OpId> able) {
    if (last) std::ranges::reverse(able);
    line.insert(line.end(), able.begin(), able.end());
  };
  std::vector<OpId> able;
  for (const OpId op : graph.ops.keys()) {
    missing[op] = precedence.before[op].size();
    if (missing[op] == 0) able.push_back(op);
  }
  join(able);
  std::vector<OpId> order;
  order.reserve(graph.ops.size());
  while (!line.empty()) {
    const OpId op = last ? line.back() : line.front();
    last ? line.pop_back() : line.pop_front();
    order.push_back(op);
    able.clear();
    for (const OpId next : precedence.after[op]) {
      if (--missing[next] == 0) able.push_back(next);
    }
    join(able);
  }
  return scheduleOf(std::move(order));
}

}  // namespace

std::span<const std::string_view> opOrderNames() {
  static constexpr std::array<std::string_view, 4> kNames = {"given", "least-peak", "depth-first",
                                                             "breadth-first"};
  return kNames;
}

std::string_view opOrderName(OpOrder order) {
  return opOrderNames()[static_cast<std::size_t>(order)];
}

Schedule depthFirstOrder(const Graph& graph) { return lineOrder(graph, true); }
Schedule breadthFirstOrder(const Graph& graph) { return lineOrder(graph, false); }

Schedule scheduleOf(std::vector<OpId> order) {
  Schedule schedule{.order = std::move(order), .stepOf = IdMap<OpId, Step>()};
  schedule.stepOf.resize(schedule.order.size());
  for (std::size_t step = 0; step < schedule.order.size(); ++step) {
    schedule.stepOf[schedule.order[step]] = Step(static_cast<std::int64_t>(step));
  }
  return schedule;
}

}  // namespace hw
