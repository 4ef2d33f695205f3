#include "core/sim/cost_model.h"

#include <algorithm>
#include <limits>

#include "core/ops/op_table.h"

namespace hw {
namespace {

SimTime capTime(Wide picoseconds) {
  const auto most = static_cast<Wide>(kMaxTime.count());
  return SimTime(static_cast<std::int64_t>(std::min(picoseconds, most)));
}

constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace

CostedOp costedOp(const Graph& graph, OpId id, const OpTiming& timing) {
  const Op& op = graph.ops[id];
  const OpInfo* info = findOp(op);
  CostedOp costed{.type = info == nullptr || info->standard.empty() ? op.type : info->standard,
                  .kind = info == nullptr ? OpClass::elements : info->kind,
                  .inputs = timing.inputs,
                  .weights = timing.weights,
                  .outputs = timing.outputs};
  for (const TensorId in : op.inputs) costed.fromCaller |= in && graph.tensors[in].graphInput;
  for (const TensorId out : op.outputs) costed.toCaller |= out && graph.tensors[out].graphOutput;
  return costed;
}

SimTime computeTime(const UnitSpec& unit, std::int64_t cycles) {
  return capTime(static_cast<Wide>(cycles) * kPicosecondsPerSecond / static_cast<Wide>(unit.clock));
}

SimTime transferTime(Bytes bytes, std::int64_t bandwidth) {
  if (bandwidth <= 0) return {};
  // Most transfers are short; dividing 128 bits takes several times as long.
  constexpr std::int64_t kShort =
      std::numeric_limits<std::int64_t>::max() / 2 / kPicosecondsPerSecond;
  constexpr std::int64_t kSlow = std::numeric_limits<std::int64_t>::max() / 2;
  if (bytes.count() <= kShort && bandwidth <= kSlow) {
    const std::int64_t whole = bytes.count() * kPicosecondsPerSecond;
    return capTime((whole + bandwidth - 1) / bandwidth);
  }
  const auto rate = static_cast<Wide>(bandwidth);
  return capTime((static_cast<Wide>(bytes.count()) * kPicosecondsPerSecond + rate - 1) / rate);
}

}  // namespace hw
