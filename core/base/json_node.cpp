#include "core/base/json_node.h"

#include <fmt/format.h>

#include "core/base/refusal.h"
#include "core/base/text.h"

namespace hw {

void JsonNode::expected(std::string_view what) const {
  refuse(fmt::format("expected {}, found {}", what, printable(jsonLine(value), 40)), where);
}

const std::string& JsonNode::text() const {
  if (!value.is_string()) expected("a string");
  return value.get_ref<const std::string&>();
}

bool JsonNode::flag() const {
  if (!value.is_boolean()) expected("true or false");
  return value.get<bool>();
}

std::int64_t JsonNode::count(std::int64_t most) const {
  const bool fits = value.is_number_unsigned()
                        ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : value.is_number_integer() && value.get<std::int64_t>() >= 0;
  if (!fits) expected(fmt::format("a whole number from 0 to {}", most));
  return value.get<std::int64_t>();
}

const JsonNode& JsonNode::object() const {
  if (!value.is_object()) expected("an object");
  return *this;
}

JsonNode JsonNode::element(std::size_t index) const {
  return {value[index], fmt::format("{}[{}]", where, index)};
}

std::optional<JsonNode> JsonNode::find(const char* key) const {
  const auto member = value.find(key);
  if (member == value.end() || member->is_null()) return std::nullopt;
  return JsonNode{*member, where.empty() ? key : where + "." + key};
}

std::string JsonNode::text(const char* key) const {
  const auto member = find(key);
  return member ? member->text() : std::string();
}

std::optional<std::int64_t> JsonNode::count(const char* key, std::int64_t most) const {
  const auto member = find(key);
  return member ? std::optional(member->count(most)) : std::nullopt;
}

std::optional<Bytes> JsonNode::bytes(const char* key) const {
  const auto number = count(key, kMaxBytes.count());
  return number ? std::optional(Bytes(*number)) : std::nullopt;
}

std::optional<Step> JsonNode::step(const char* key) const {
  const auto number = count(key, kMaxStep.count());
  return number ? std::optional(Step(*number)) : std::nullopt;
}

void JsonLists::forEach(const JsonNode& object, const char* key,
                        const std::function<void(const JsonNode&)>& visit) const {
  const auto list = object.find(key);
  if (!list) return;
  if (!list->value.is_array()) list->expected("an array");
  visitJsonList(text, keys, {list->where, [&](const ParsedJson& element, std::size_t index) {
                               visit({element, fmt::format("{}[{}]", list->where, index)});
                             }});
}

}  // namespace hw
