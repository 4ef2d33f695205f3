#pragma once

#include <hw_onnx.pb.h>

#include <cstddef>
#include <string>
#include <vector>

namespace hw {

/// The names that the bodies inside `node` (branches of If, bodies of Loop and Scan, however deep)
/// read from outside of it, each once, in order of first use. A name that a body defines itself
/// hides an outer one.
std::vector<std::string> capturedNames(const onnx::NodeProto& node);

/// Indices of the nodes of `graph` in an order that respects names, bodies included: stored order
/// where that is topological. Nodes on a cycle come last.
std::vector<std::size_t> executionOrder(const onnx::GraphProto& graph);

}  // namespace hw
