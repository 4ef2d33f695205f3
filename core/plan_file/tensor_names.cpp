#include "core/plan_file/tensor_names.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/tiling.h"

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

constexpr std::string_view kScratchEnding = "+scratch";

std::string numberText(TensorId id) { return "t" + std::to_string(id.index()); }

/// The number in "t12" or "t12+scratch".
std::optional<std::size_t> numberIn(std::string_view text) {
  if (text.ends_with(kScratchEnding)) text.remove_suffix(kScratchEnding.size());
  const auto number = text.starts_with('t') ? parseInteger(text.substr(1)) : std::nullopt;
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// `unique`: no other tensor is called that; `taken(name)`: some tensor is.
template <class Taken>
std::string nameOf(const Graph& graph, TensorId id, bool unique, const Taken& taken) {
  const std::string& own = graph.tensors[id].name;
  if (!own.empty() && unique && survivesFiles(own)) return own;
  std::string name = printable(own, own.size() * 4) + "#" + numberText(id);
  while (taken(name)) name += "#";
  return name;
}

}  // namespace

TensorNames::TensorNames(const Graph& graph) {
  std::unordered_map<std::string_view, int> uses;
  for (const Tensor& tensor : graph.tensors) ++uses[tensor.name];
  names_.reserve(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    names_.add(nameOf(graph, id, uses[graph.tensors[id].name] == 1,
                      [&](const std::string& name) { return uses.contains(name); }));
  }
  for (const TensorId id : names_.keys()) ids_.emplace(names_[id], id);
  const Graph* numbered = withoutScratch(graph);
  if (numbered == nullptr) return;
  numbered_.resize(numbered->tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    const TensorId whole = graph.tiling->wholeOf[id];
    if (!whole) continue;
    const OpId producer = graph.tensors[id].producer;
    numbered_[whole.index()] = {id, producer ? scratchOf(graph, graph.ops[producer]) : TensorId()};
  }
}

std::vector<std::string> namesOf(const Graph& graph, std::span<const TensorId> wanted) {
  std::vector<std::string> names;
  names.reserve(wanted.size());
  if (wanted.size() * 4 > graph.tensors.size()) {
    const TensorNames all(graph);
    for (const TensorId id : wanted) names.push_back(all.of(id));
    return names;
  }
  std::unordered_map<std::string_view, int> uses;
  for (const TensorId id : wanted) uses.emplace(graph.tensors[id].name, 0);
  for (const Tensor& tensor : graph.tensors) {
    const auto known = uses.find(tensor.name);
    if (known != uses.end()) ++known->second;
  }
  const auto taken = [&](const std::string& name) {
    return std::ranges::find(graph.tensors, name, &Tensor::name) != graph.tensors.end();
  };
  for (const TensorId id : wanted) {
    names.push_back(nameOf(graph, id, uses[graph.tensors[id].name] == 1, taken));
  }
  return names;
}

std::optional<TensorId> TensorNames::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TensorId> TensorNames::findId(std::string_view text) const {
  const auto number = numberIn(text);
  const bool scratch = text.ends_with(kScratchEnding);
  if (numbered_.empty()) {
    if (!number || scratch || *number >= names_.size()) return std::nullopt;
    return TensorId(*number);
  }
  if (!number || *number >= numbered_.size()) return std::nullopt;
  const TensorId found = scratch ? numbered_[*number].scratch : numbered_[*number].tensor;
  return found ? std::optional(found) : std::nullopt;
}

std::string tensorIdText(const Graph& graph, TensorId id) {
  if (withoutScratch(graph) == nullptr) return numberText(id);
  if (!isScratch(graph, id)) return numberText(graph.tiling->wholeOf[id]);
  const Op& op = graph.ops[graph.tensors[id].producer];
  return scratchIdText(graph.tiling->wholeOf[op.outputs[0]]);
}

std::string scratchIdText(TensorId output) {
  return numberText(output) + std::string(kScratchEnding);
}

bool isTensorIdText(std::string_view text) { return numberIn(text).has_value(); }

}  // namespace hw
