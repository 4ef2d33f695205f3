#include "core/schedule/schedule.h"

#include <algorithm>

#include "core/graph/tiling.h"

namespace hw {

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

IdMap<TensorId, Interval<Step>> lifetimes(const Graph& graph, const Schedule& schedule) {
  const Step end = std::max(schedule.steps(), Step(1));
  IdMap<TensorId, Interval<Step>> lives(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.constant || tensor.persistent || isRing(graph, id)) continue;
    const Step begin = tensor.producer ? schedule.stepOf[tensor.producer] : Step(0);
    Step last = begin;
    for (const OpId reader : tensor.consumers) last = std::max(last, schedule.stepOf[reader]);
    lives[id] = {begin, tensor.graphOutput ? end : last + Step(1)};
  }
  return lives;
}

}  // namespace hw
