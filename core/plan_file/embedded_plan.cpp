#include "core/plan_file/embedded_plan.h"

#include "core/plan_file/tensor_names.h"
#include "core/run/embedded.h"

namespace hw {

std::optional<PlanDocument> embeddedPlan(const Model& model) {
  const Graph& graph = *model.graph;
  if (!hasOwnPlan(graph)) return std::nullopt;
  PlanDocument document{.modelName = model.name, .allocator = "embedded"};
  const Schedule schedule = givenOrder(graph);
  const auto alias = ownAlias(graph, schedule, {.alignment = ownAlignment(graph)});
  const Storage storage =
      shareStorage(graph, schedule, {.alias = alias ? *alias : AliasRules::none()});
  const TensorNames names(graph);
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    const auto& slot = storage.slots[id];
    if (!tensor.plannedOffset || tensor.constant || !slot) continue;
    const TensorId root = storage.buffers[slot->buffer].root;
    document.placements.push_back({.tensor = names.of(id),
                                   .pool = "L2",
                                   .offset = *tensor.plannedOffset,
                                   .size = tensor.bytes,
                                   .aliasOf = root == id ? "" : names.of(root)});
  }
  return document;
}

}  // namespace hw
