#include "core/picture/part_blocks.h"

#include "core/base/text.h"
#include "core/storage/parts.h"

namespace hw {
namespace {

TensorClass partClass(const Tensor& tensor) {
  if (tensor.graphOutput) return TensorClass::output;
  return tensor.graphInput ? TensorClass::input : TensorClass::view;
}

/// From the op that writes a tensor to the last that reads it: on an axis of time they need not
/// run in the order of their steps.
Interval<double> lifeOf(const Run& run, const RunScale& scale, const BufferPart& part) {
  if (scale.unit() == AxisUnit::step) {
    return {scale.begin(part.steps.begin), scale.begin(part.steps.end)};
  }
  const Tensor& tensor = run.graph().tensors[part.tensor];
  Interval<double> life{0, scale.during(part.steps.end - Step(1)).end};
  if (tensor.producer) life.begin = scale.during(run.schedule.stepOf[tensor.producer]).begin;
  if (tensor.graphOutput) life.end = scale.length();
  for (const OpId reader : tensor.consumers) {
    if (run.graph().ops[reader].folded) continue;
    life.end = std::max(life.end, scale.during(run.schedule.stepOf[reader]).end);
  }
  return life;
}

}  // namespace

std::vector<PartBlock> partBlocks(const Run& run, const RunScale& scale, const Block& block) {
  if (run.storage.isIdentity()) return {};
  std::vector<PartBlock> blocks;
  for (const BufferPart& part :
       partsOf(run.graph(), run.storage, run.problem.stays[block.stay].buffer)) {
    const Interval<double> life = lifeOf(run, scale, part);
    const Interval<double> span{std::max(life.begin, static_cast<double>(block.span.begin.count())),
                                std::min(life.end, static_cast<double>(block.span.end.count()))};
    if (span.empty()) continue;
    const Bytes low = block.bytes.begin + part.bytes.begin;
    blocks.push_back({part.tensor,
                      span,
                      {low, low + part.bytes.length()},
                      partClass(run.graph().tensors[part.tensor])});
  }
  return blocks;
}

TensorId partAt(const Run& run, const RunScale& scale, const Block& block, double place, Bytes at) {
  TensorId found;
  for (const PartBlock& part : partBlocks(run, scale, block)) {
    if (part.span.contains(place) && part.bytes.contains(at)) found = part.tensor;
  }
  return found;
}

std::string partLabel(const Run& run, TensorId tensor) {
  std::string label = printable(displayName(run.graph(), tensor), 80);
  const std::string share = partText(run.graph(), run.storage, tensor);
  return share.empty() ? label : label + ": " + share;
}

}  // namespace hw
