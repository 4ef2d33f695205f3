#pragma once

#include "core/run/run.h"

namespace hw {

/// Bytes that a runtime has asked for at each step, from the model and its order alone: what is
/// live in the run, each size exact, but
///
/// - a reshape of an input that lies outside lies there, too;
/// - what the model hands out has bytes of its own, even where it is another tensor reshaped;
/// - an output that nobody reads stays to the end.
///
/// ONNX Runtime does so, apart from what its planner keeps for later tensors of the same shape.
StepFunction runtimeBytes(const Run& run);

/// Whether an operator makes it, nobody reads it, and the model does not hand it out.
bool isUnread(const Graph& graph, TensorId tensor);

}  // namespace hw
