#include "core/insight/runtime_bytes.h"

#include <algorithm>

#include "core/ops/op_table.h"

namespace hw {
namespace {

/// Adds up what is live, by intervals of steps.
class LiveSum {
 public:
  explicit LiveSum(Step steps) : changes_(static_cast<std::size_t>(steps.count()) + 1) {}

  void add(Interval<Step> steps, Bytes size) {
    changes_[static_cast<std::size_t>(steps.begin.count())] += size.count();
    changes_[static_cast<std::size_t>(steps.end.count())] -= size.count();
  }

  StepFunction curve() const {
    StepFunction curve;
    std::int64_t live = 0;
    for (std::size_t i = 0; i + 1 < changes_.size(); ++i) {
      live += changes_[i];
      if (changes_[i] == 0 && i > 0) continue;
      curve.pieces.push_back({Step(static_cast<std::int64_t>(i)), Bytes(live)});
    }
    return curve;
  }

 private:
  std::vector<std::int64_t> changes_;
};

/// Under another shape, the input that an operator shows; none: it shows none.
TensorId shownInput(const Graph& graph, TensorId tensor) {
  const OpId producer = graph.tensors[tensor].producer;
  if (!producer) return {};
  const Op& op = graph.ops[producer];
  const OpInfo* info = findOp(op);
  // Which passes its input on, or a part of it: runtimes write that anew.
  if (op.type == "Dropout" || op.inputs.empty()) return {};
  if (info == nullptr || info->view != ViewFamily::reshape) return {};
  return op.inputs.front();
}

/// A reshape, of a reshape, …, of an input that nobody plans.
bool liesOutside(const Run& run, TensorId tensor) {
  const Graph& graph = run.graph();
  if (!run.sharing.alias.reshape || run.sharing.planInputs) return false;
  if (graph.tensors[tensor].graphOutput) return false;
  for (TensorId shown = shownInput(graph, tensor); shown; shown = shownInput(graph, shown)) {
    if (graph.tensors[shown].graphInput) return true;
  }
  return false;
}

/// Handed out, and in one buffer with what it is made of.
bool isCopiedOut(const Run& run, TensorId tensor, BufferId buffer) {
  const Graph& graph = run.graph();
  const Tensor& made = graph.tensors[tensor];
  if (!made.graphOutput || !made.producer) return false;
  return std::ranges::any_of(graph.ops[made.producer].inputs,
                             [&](TensorId in) { return run.storage.bufferOf(in) == buffer; });
}

}  // namespace

bool isUnread(const Graph& graph, TensorId tensor) {
  const Tensor& made = graph.tensors[tensor];
  return made.producer && made.consumers.empty() && !made.graphOutput;
}

StepFunction runtimeBytes(const Run& run) {
  const Graph& graph = run.graph();
  const Storage& storage = run.storage;
  const Step end = run.problem.steps;
  LiveSum sum(end);
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    Interval<Step> rest{end, Step()};
    for (const TensorId tensor : buffer.tensors) {
      Interval<Step> life = storage.lifetimes[tensor];
      if (life.empty()) continue;
      if (isCopiedOut(run, tensor, id)) {
        sum.add(life, graph.tensors[tensor].bytes.value_or(Bytes()));
        continue;
      }
      if (isUnread(graph, tensor)) life.end = end;
      rest.begin = std::min(rest.begin, life.begin);
      rest.end = std::max(rest.end, life.end);
    }
    if (rest.begin >= rest.end || liesOutside(run, buffer.root)) continue;
    sum.add(rest, buffer.size);
  }
  return sum.curve();
}

}  // namespace hw
