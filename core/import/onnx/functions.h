#pragma once

#include <hw_onnx.pb.h>

#include "core/base/result.h"

namespace hw {

/// Replaces every call of a model-local function by the function's nodes, in place, nested calls
/// and calls in bodies of control flow included. Inner names get a prefix of their own per call.
/// The number of calls replaced; fails when functions call each other without end.
Result<int> inlineFunctions(onnx::ModelProto& model);

}  // namespace hw
