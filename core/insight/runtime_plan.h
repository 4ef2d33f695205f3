#pragma once

#include <vector>

#include "core/import/onnx/runtime_shapes.h"
#include "core/plan/metrics.h"
#include "core/schedule/schedule.h"

namespace hw {

/// Bytes that a runtime asks for at once and gives back at once.
struct RuntimeBlock {
  Interval<Step> steps{};
  Bytes size{};
};

/// Facts from which a prediction is made. All of it is known before the model runs.
struct RuntimeProgram {
  const Graph& graph;
  const Schedule& schedule;
  /// Shapes as far as the runtime knows them. Empty: all that we do, but for what was
  /// assumed.
  const RuntimeShapes& shapes;
  /// Which ops ran, where that is known: some whose inputs are all stored are not computed ahead of
  /// time, and some casts are left out. Empty: all but the former.
  IdMap<OpId, bool> ran{};
};

struct RuntimePlan {
  std::vector<RuntimeBlock> blocks{};  ///< In the order in which they are taken.
  IdMap<TensorId, TensorId> homes{};   ///< In whose bytes each tensor lies: its own, or others'.
};

/// Plan that ONNX Runtime's planner makes of a model.
/// It goes through the operators once, before any of them runs:
///
/// - what the model hands out gets bytes of its own, which are not given back;
/// - an output is made in the bytes of an input where the kernel does so;
/// - else it gets the bytes that were freed last of those tensors that have its shape and width;
/// - else new ones.
///
/// Bytes are given back behind the last operator that reads a tensor in them: between the tensors
/// that share them they are kept. An output that nobody reads stays to the end. What lies in an
/// input of the model or in a weight takes none.
RuntimePlan planAsRuntime(const RuntimeProgram& program);

/// The order in which ONNX Runtime runs the operators of a graph that are in the order of its file,
/// one after the other; that of the graph where the file's operators had to be sorted.
Schedule runtimeSchedule(const Graph& graph);

/// Bytes of the blocks at each step.
StepFunction liveBytes(const std::vector<RuntimeBlock>& blocks, Step steps);

/// True if an operator makes it, nobody reads it, and the model does not hand it out.
bool isUnread(const Graph& graph, TensorId tensor);

}  // namespace hw
