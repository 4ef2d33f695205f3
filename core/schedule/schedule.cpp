#include "core/schedule/schedule.h"

#include <algorithm>

#include "core/graph/tiling.h"

namespace hw {
namespace {

/// Ops that touch one persistent tensor stay in the order of the graph: each after the one before.
void keepStateInOrder(const Graph& graph, Precedence& precedence) {
  IdMap<TensorId, OpId> last(graph.tensors.size());
  for (const OpId op : graph.ops.keys()) {
    const auto touch = [&](TensorId tensor) {
      if (!tensor || !graph.tensors[tensor].persistent) return;
      if (last[tensor] && last[tensor] != op) precedence.before[op].push_back(last[tensor]);
      last[tensor] = op;
    };
    std::ranges::for_each(graph.reads(op), touch);
    std::ranges::for_each(graph.ops[op].outputs, touch);
  }
}

}  // namespace

Schedule givenOrder(const Graph& graph) {
  Schedule schedule;
  schedule.order.reserve(graph.ops.size());
  schedule.stepOf.reserve(graph.ops.size());
  for (const OpId op : graph.ops.keys()) {
    schedule.order.push_back(op);
    schedule.stepOf.add(Step(static_cast<std::int64_t>(op.index())));
  }
  return schedule;
}

std::vector<Interval<Step>> batchSteps(const Graph& graph, const Schedule& schedule) {
  const Step end = std::max(schedule.steps(), Step(1));
  if (batchesOf(graph) == 1) return {{Step(), end}};
  std::vector<Interval<Step>> batches(batchesOf(graph), {end, Step()});
  for (const OpId op : graph.ops.keys()) {
    Interval<Step>& batch = batches[batchOf(graph, op)];
    batch.begin = std::min(batch.begin, schedule.stepOf[op]);
    batch.end = std::max(batch.end, schedule.stepOf[op] + Step(1));
  }
  return batches;
}

IdMap<TensorId, Interval<Step>> lifetimes(const Graph& graph, const Schedule& schedule) {
  const std::vector<Interval<Step>> batches = batchSteps(graph, schedule);
  IdMap<TensorId, Interval<Step>> lives(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.constant || tensor.persistent || isRing(graph, id)) continue;
    const Interval<Step>& batch = batches[batchOf(graph, id)];
    const Step begin = tensor.producer ? schedule.stepOf[tensor.producer] : batch.begin;
    Step last = begin;
    for (const OpId reader : tensor.consumers) last = std::max(last, schedule.stepOf[reader]);
    lives[id] = {begin, tensor.graphOutput ? batch.end : last + Step(1)};
  }
  return lives;
}

Precedence precedenceOf(const Graph& graph) {
  Precedence precedence{.before = IdMap<OpId, std::vector<OpId>>(graph.ops.size()),
                        .after = IdMap<OpId, std::vector<OpId>>(graph.ops.size())};
  for (const OpId op : graph.ops.keys()) {
    for (const TensorId tensor : graph.reads(op)) {
      const OpId producer = graph.tensors[tensor].producer;
      if (producer) precedence.before[op].push_back(producer);
    }
  }
  keepStateInOrder(graph, precedence);
  for (const OpId op : graph.ops.keys()) {
    auto& before = precedence.before[op];
    std::ranges::sort(before);
    // Clang 14 cannot use the subrange that std::ranges::unique returns.
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (const OpId first : before) precedence.after[first].push_back(op);
  }
  return precedence;
}

bool respects(const std::vector<OpId>& order, const Precedence& precedence) {
  if (order.size() != precedence.before.size()) return false;
  IdMap<OpId, bool> ran(order.size());
  for (const OpId op : order) {
    if (!ran.contains(op) || ran[op]) return false;
    const auto done = [&](OpId first) { return ran[first]; };
    if (!std::ranges::all_of(precedence.before[op], done)) return false;
    ran[op] = true;
  }
  return true;
}

}  // namespace hw
