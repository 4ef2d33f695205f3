#include "core/import/onnx/body_peak.h"

#include <algorithm>

#include "core/base/load_sweep.h"
#include "core/import/onnx/scopes.h"
#include "core/import/onnx/values.h"
#include "core/ops/op_facts.h"

namespace hw {
namespace {

std::int64_t bytesOf(const Knowledge* known) {
  const auto shape = known != nullptr ? staticShape(known->type) : std::nullopt;
  const auto count = shape ? elementCount(*shape) : std::nullopt;
  const auto bytes =
      count ? packedSize(dtypeOfElement(elementType(known->type)), *count) : std::nullopt;
  constexpr std::int64_t kMost = std::int64_t{1} << 40U;  // Keeps sums within 64 bits.
  return bytes ? std::min(bytes->count(), kMost) : 0;
}

std::int64_t innerPeak(const onnx::NodeProto& node, const ShapeInference& inference) {
  const BodyRun* run = inference.runOf(node);
  return run != nullptr && run->scope ? bodyPeak(*run->body, *run->scope, inference) : 0;
}

}  // namespace

std::int64_t bodyPeak(const onnx::GraphProto& body, const Scope& scope,
                      const ShapeInference& inference) {
  const int count = body.node_size();
  std::unordered_map<std::string, int> lastRead;
  for (int i = 0; i < count; ++i) {
    for (const std::string& name : body.node(i).input()) lastRead[name] = i;
    for (const std::string& name : capturedNames(body.node(i))) lastRead[name] = i;
  }
  for (const auto& output : body.output()) lastRead[output.name()] = count;
  LoadSweep live(static_cast<std::size_t>(count) + 1);
  for (int i = 0; i < count; ++i) {
    for (const std::string& name : body.node(i).output()) {
      const std::int64_t bytes = name.empty() ? 0 : bytesOf(scope.find(name));
      const auto found = lastRead.find(name);
      const int last = found != lastRead.end() ? std::max(found->second, i) : i;
      live.add(static_cast<std::size_t>(i), static_cast<std::size_t>(last) + 1, Bytes(bytes));
    }
  }
  std::int64_t peak = 0;
  live.eachPlace([&](std::size_t place, Bytes bytes) {
    const auto node = static_cast<int>(place);
    if (node == count) return;  // What the body hands out.
    peak = std::max(peak, bytes.count() + innerPeak(body.node(node), inference));
  });
  return peak;
}

}  // namespace hw
