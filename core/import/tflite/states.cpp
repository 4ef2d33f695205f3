#include <algorithm>

#include "core/import/tflite/reader.h"

namespace hw {
namespace {

/// Bytes of a tensor as the file stores its shape; nothing when a dimension is free or it has no
/// fixed size.
std::optional<Bytes> storedBytes(const TfliteSubgraph& graph, std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= graph.tensors.size()) return std::nullopt;
  const TfliteTensor& tensor = graph.tensors[static_cast<std::size_t>(index)];
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.isFree(axis)) return std::nullopt;
  }
  const auto count = elementCount(tensor.shape);
  return count ? packedSize(tfliteDtype(tensor.type), *count) : std::nullopt;
}

void collect(const TfliteSubgraph& graph, std::map<std::string, Bytes>& states) {
  std::map<std::int32_t, std::string> variables;  // By the tensor that is the handle.
  for (const TfliteOp& op : graph.ops) {
    if (op.is(TfliteOpCode::variableHandle) && !op.outputs.empty()) {
      variables[op.outputs[0]] = tfliteStateName(op);
    }
    const auto found = op.inputs.empty() ? variables.end() : variables.find(op.inputs[0]);
    if (found == variables.end()) continue;
    std::optional<Bytes> bytes;
    if (op.is(TfliteOpCode::assignVariable) && op.inputs.size() > 1) {
      bytes = storedBytes(graph, op.inputs[1]);
    } else if (op.is(TfliteOpCode::readVariable) && !op.outputs.empty()) {
      bytes = storedBytes(graph, op.outputs[0]);
    }
    if (!bytes) continue;
    Bytes& state = states[found->second];
    state = std::max(state, *bytes);
  }
}

}  // namespace

std::string tfliteStateName(const TfliteOp& op) {
  constexpr int kContainer = 0;
  constexpr int kSharedName = 1;
  if (!op.options) return {};
  return op.options->text(kContainer) + "/" + op.options->text(kSharedName);
}

std::map<std::string, Bytes> tfliteStates(const TfliteFile& file) {
  std::map<std::string, Bytes> states;
  if (!file.hasOpCode(TfliteOpCode::variableHandle)) return states;
  for (std::size_t index = 0; index < file.subgraphCount(); ++index) {
    collect(file.subgraph(index), states);
  }
  return states;
}

}  // namespace hw
