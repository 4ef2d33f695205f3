#include <fmt/format.h>

#include "core/base/text.h"
#include "core/plan_file/tensor_names.h"
#include "core/report/explain/explain_report.h"

namespace hw {

Result<TensorId> plannedTensor(const Run& run, std::string_view name) {
  const TensorNames names(run.graph());
  auto id = names.find(name);
  if (!id) id = names.findId(name);
  const auto refuse = [&](std::string message) {
    return fail(ErrorCode::invalidArgument, std::move(message));
  };
  const std::string shown = printable(name, 120);
  if (!id) {
    std::vector<std::string> candidates;
    for (const TensorId tensor : run.graph().tensors.keys()) candidates.push_back(names.of(tensor));
    const auto closest = closestWord(name, candidates);
    return refuse(fmt::format("there is no tensor '{}'{}", shown,
                              closest ? fmt::format("; did you mean '{}'?", printable(*closest))
                                      : "; 'highwater plan MODEL --all' lists them"));
  }
  if (run.storage.bufferOf(*id)) return *id;
  const Tensor& tensor = run.graph().tensors[*id];
  if (tensor.constant) {
    return refuse(fmt::format("'{}' is a weight: weights are not planned", shown));
  }
  if (!tensor.bytes) {
    return refuse(fmt::format("'{}' is not planned: its size is not known ({})", shown,
                              printable(tensor.unknownReason)));
  }
  if (*tensor.bytes == Bytes())
    return refuse(fmt::format("'{}' is empty: it needs no place", shown));
  return refuse(fmt::format("'{}' lives outside the arena: it is a graph {} and was not planned",
                            shown, tensor.graphInput ? "input" : "output"));
}

}  // namespace hw
