#include "core/report/model/measured_columns.h"

#include <algorithm>

namespace hw {
namespace {

std::optional<std::int64_t> measuredFigure(const Op& op, const std::string& key) {
  const auto found = op.attributes.find(key);
  if (found == op.attributes.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number ? std::optional(*number) : std::nullopt;
}

}  // namespace

Columns<OpId> measuredColumns(const Graph& graph) {
  using enum ColumnKind;
  const auto op = [&graph](OpId id) -> const Op& { return graph.ops[id]; };
  const auto figure = [op](const char* key) {
    return [op, key](OpId id) -> Value { return measuredFigure(op(id), key); };
  };
  return {
      {"step", "step", step, [](OpId id) { return id.index(); }},
      {"op", "operator", text, [&graph](OpId id) { return displayName(graph, id); }},
      {"type", "type", text, [op](OpId id) { return op(id).type; }},
      {"output_size", "output", bytes, figure("output_size"), "Of all that it wrote"},
      {"activation_size", "activations", bytes, figure("activation_size"),
       "Of what it read that is no weight"},
      {"parameter_size", "parameters", bytes, figure("parameter_size"), "Of the weights it read"},
      {"requested", "requested", bytes, figure("requested"),
       "Asked for and not given back as it ended, by the whole session"},
      {"in_use", "in use", bytes, figure("in_use"), "The same, as the allocator rounds it"},
      {"duration_us", "\u00b5s", count, figure("duration_us"), "How long it took, microseconds"},
  };
}

std::vector<OpId> measuredOperators(const Graph& graph) {
  if (graph.format != "ort-profile") return {};
  std::vector<OpId> ids;
  for (const OpId id : graph.ops.keys()) ids.push_back(id);
  std::ranges::stable_sort(ids, std::greater(), [&](OpId id) {
    return measuredFigure(graph.ops[id], "output_size").value_or(-1);
  });
  return ids;
}

}  // namespace hw
