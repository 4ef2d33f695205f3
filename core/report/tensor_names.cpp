#include "core/report/tensor_names.h"

#include "core/base/text.h"

namespace hw {
namespace {

/// Control characters are fine in JSON and CSV; broken UTF-8 would not survive them.
bool survivesFiles(const std::string& name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (static_cast<unsigned char>(name[at]) >= 0x80) {
      return printable(name, name.size() * 4) == name;
    }
  }
  return true;
}

}  // namespace

TensorNames::TensorNames(const Graph& graph) {
  std::unordered_map<std::string_view, int> uses;
  for (const Tensor& tensor : graph.tensors) ++uses[tensor.name];
  names_.reserve(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    const std::string& own = graph.tensors[id].name;
    const bool plain = !own.empty() && uses[own] == 1 && survivesFiles(own);
    std::string name = plain ? own : printable(own, own.size() * 4) + "#" + tensorIdText(id);
    while (!plain && uses.contains(name)) name += "#";
    names_.add(std::move(name));
  }
  for (const TensorId id : names_.keys()) ids_.emplace(names_[id], id);
}

std::optional<TensorId> TensorNames::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TensorId> TensorNames::findId(std::string_view text) const {
  const auto index = text.starts_with('t') ? parseInteger(text.substr(1)) : std::nullopt;
  if (!index || *index < 0 || *index >= static_cast<std::int64_t>(names_.size())) {
    return std::nullopt;
  }
  return TensorId(static_cast<std::size_t>(*index));
}

std::string tensorIdText(TensorId id) { return "t" + std::to_string(id.index()); }

}  // namespace hw
