#include "core/import/plans/unknown_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::string_view kNotSaid = "not said in the file: ";
constexpr std::string_view kOperators = "operators";
constexpr const char* kUnknownLives = "unknown_lives";

}  // namespace

std::string unknownNote(const std::vector<std::string>& parts) {
  return fmt::format("{}{}", kNotSaid, fmt::join(parts, ", "));
}

std::string_view unknownNote(const Graph& graph) {
  const auto note = std::ranges::find_if(
      graph.notes, [](const std::string& each) { return each.starts_with(kNotSaid); });
  return note == graph.notes.end() ? std::string_view() : std::string_view(*note);
}

bool namesOperators(const Graph& graph) {
  std::string_view note = unknownNote(graph);
  note.remove_prefix(std::min(note.size(), kNotSaid.size()));
  const auto parts = splitText(note, ',');
  return std::ranges::none_of(
      parts, [](std::string_view part) { return trimText(part).starts_with(kOperators); });
}

void markUnknownLife(Op& maker, std::size_t place) {
  AttributeValue& known = maker.attributes[kUnknownLives];
  if (!std::holds_alternative<std::vector<std::int64_t>>(known)) {
    known = std::vector<std::int64_t>();
  }
  std::get<std::vector<std::int64_t>>(known).push_back(static_cast<std::int64_t>(place));
}

bool isLifeUnknown(const Graph& graph, TensorId tensor) {
  const OpId maker = graph.tensors[tensor].producer;
  if (!maker) return false;
  const Op& op = graph.ops[maker];
  const auto known = op.attributes.find(kUnknownLives);
  if (known == op.attributes.end()) return false;
  const auto* places = std::get_if<std::vector<std::int64_t>>(&known->second);
  if (places == nullptr) return false;
  // Tensors are numbered as they are made.
  const auto place = std::ranges::lower_bound(op.outputs, tensor);
  return place != op.outputs.end() && *place == tensor &&
         std::ranges::binary_search(*places, place - op.outputs.begin());
}

}  // namespace hw
