#include "core/layout/image_regions.h"

#include "core/layout/axis_use.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

bool isBetween(AxisUse use) {
  switch (use) {
    case AxisUse::image:
    case AxisUse::place:
    case AxisUse::elements:
    case AxisUse::first:
    case AxisUse::join:
    case AxisUse::cut:
    case AxisUse::slice:
    case AxisUse::pad:
    case AxisUse::fold:
      return true;
    case AxisUse::given:
    case AxisUse::pick:
    case AxisUse::row:
    case AxisUse::transpose:
    case AxisUse::view:
      return false;
  }
  return false;
}

}  // namespace

ImageRegions::ImageRegions(const Graph& graph)
    : parent_(graph.tensors.size()), image_(graph.tensors.size(), false) {
  for (const TensorId id : graph.tensors.keys()) parent_[id] = id;
  std::vector<TensorId> seeds;
  for (const OpId id : graph.ops.keys()) {
    const AxisUse use = axisUseOf(graph, id);
    const Op& op = graph.ops[id];
    if (!isBetween(use)) continue;
    std::vector<TensorId> images;
    for (const auto* list : {&op.inputs, &op.outputs}) {
      for (const TensorId each : *list) {
        if (isImage(graph, each)) images.push_back(each);
      }
    }
    if (use == AxisUse::image) seeds.insert(seeds.end(), {dataInput(op), op.outputs[0]});
    if (use == AxisUse::image || images.empty()) continue;
    for (const TensorId each : images) parent_[rootOf(each)] = rootOf(images.front());
  }
  for (const TensorId seed : seeds) image_[rootOf(seed)] = true;
  any_ = !seeds.empty();
}

TensorId ImageRegions::rootOf(TensorId tensor) const {
  while (parent_[tensor] != tensor) {
    parent_[tensor] = parent_[parent_[tensor]];
    tensor = parent_[tensor];
  }
  return tensor;
}

bool ImageRegions::contains(TensorId tensor) const {
  return parent_.contains(tensor) && image_[rootOf(tensor)];
}

}  // namespace hw
