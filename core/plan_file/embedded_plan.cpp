#include "core/plan_file/embedded_plan.h"

#include "core/plan_file/tensor_names.h"
#include "core/run/embedded.h"
#include "core/storage/alias_text.h"

namespace hw {

std::optional<PlanDocument> embeddedPlan(const Model& model) {
  const Graph& graph = *model.graph;
  if (!hasOwnPlan(graph)) return std::nullopt;
  PlanDocument document{.modelName = model.name, .allocator = "embedded"};
  const TensorNames names(graph);
  if (model.problem) {
    for (const TensorId id : graph.tensors.keys()) {
      const Tensor& tensor = graph.tensors[id];
      if (!tensor.plannedOffset) continue;
      document.placements.push_back({.tensor = names.of(id),
                                     .pool = "L2",
                                     .offset = *tensor.plannedOffset,
                                     .size = tensor.bytes});
    }
    return document;
  }
  // Slices start at multiples of it, and which of them are shared depends on it, too.
  StorageOptions options{.alias = AliasRules::none(), .alignment = ownAlignment(graph)};
  const Schedule schedule = givenOrder(graph);
  if (const auto alias = ownAlias(graph, schedule, options)) options.alias = *alias;
  document.alignment = options.alignment;
  document.alias = aliasText(options.alias);
  const Storage storage = shareStorage(graph, schedule, options);
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
