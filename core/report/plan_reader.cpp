#include "core/report/plan_reader.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/report/plan_csv_reader.h"

namespace hw {
namespace {

/// Thrown and caught in this file: a document is refused from the depth of its own structure.
struct Refusal {
  Error error;
};

[[noreturn]] void refuse(std::string message, std::string where) {
  throw Refusal{{ErrorCode::malformed, std::move(message), std::move(where)}};
}

/// An object of the document and its place, such as "placements[3]".
struct Node {
  const ParsedJson& value;
  std::string where;

  Node(const ParsedJson& json, std::string place) : value(json), where(std::move(place)) {
    if (!value.is_object()) expected("an object", value, where);
  }

  [[noreturn]] static void expected(std::string_view what, const ParsedJson& found,
                                    const std::string& where) {
    refuse(fmt::format("expected {}, found {}", what, printable(jsonLine(found), 40)), where);
  }

  std::string place(const char* key) const { return where.empty() ? key : where + "." + key; }

  const ParsedJson* find(const char* key) const {
    const auto member = value.find(key);
    return member == value.end() || member->is_null() ? nullptr : &*member;
  }

  std::string text(const char* key) const {
    const ParsedJson* member = find(key);
    if (member == nullptr) return {};
    if (!member->is_string()) expected("a string", *member, place(key));
    return member->get<std::string>();
  }

  std::optional<std::int64_t> count(const char* key, std::int64_t most) const {
    const ParsedJson* member = find(key);
    if (member == nullptr) return std::nullopt;
    const bool whole = member->is_number_integer();
    const bool small = whole && (member->is_number_unsigned() ? member->get<std::uint64_t>() <=
                                                                    static_cast<std::uint64_t>(most)
                                                              : member->get<std::int64_t>() >= 0);
    if (!small) expected(fmt::format("a whole number from 0 to {}", most), *member, place(key));
    return member->get<std::int64_t>();
  }

  std::optional<Bytes> bytes(const char* key) const {
    const auto number = count(key, kMaxBytes.count());
    return number ? std::optional(Bytes(*number)) : std::nullopt;
  }

  std::optional<Step> step(const char* key) const {
    const auto number = count(key, kMaxStep.count());
    return number ? std::optional(Step(*number)) : std::nullopt;
  }

  template <class Visit>
  void forEach(const char* key, Visit visit) const {
    const ParsedJson* list = find(key);
    if (list == nullptr) return;
    if (!list->is_array()) expected("an array", *list, place(key));
    for (std::size_t i = 0; i < list->size(); ++i) {
      visit(Node((*list)[i], fmt::format("{}[{}]", place(key), i)));
    }
  }
};

void checkHeader(const Node& document) {
  const std::string format = document.text("format");
  if (!format.empty() && format != "highwater-plan") {
    refuse(fmt::format("the format is '{}'; expected 'highwater-plan'", printable(format)),
           "format");
  }
  const auto version = document.count("version", std::numeric_limits<std::int64_t>::max());
  if (version && *version != 1) {
    refuse(
        fmt::format("plan JSON of version {} is not known; this program reads version 1", *version),
        "version");
  }
  if (document.find("placements") == nullptr) {
    refuse("\"placements\" is missing; expected a plan with an array of them", "");
  }
}

Placement readPlacement(const Node& node) {
  Placement placement{.tensor = node.text("tensor"),
                      .pool = node.text("pool"),
                      .size = node.bytes("size"),
                      .first = node.step("first"),
                      .last = node.step("last"),
                      .aliasOf = node.text("alias_of"),
                      .where = node.where};
  if (placement.tensor.empty()) refuse("a placement needs a tensor", node.where);
  const auto offset = node.bytes("offset");
  if (!offset) {
    refuse(fmt::format("the placement of '{}' needs an offset", printable(placement.tensor)),
           node.where);
  }
  placement.offset = *offset;
  if (placement.first && placement.last && *placement.last < *placement.first) {
    refuse(
        fmt::format("'{}' is placed from step {} to {}; expected first <= last",
                    printable(placement.tensor), placement.first->count(), placement.last->count()),
        node.where);
  }
  return placement;
}

/// "arena" or "external", under a key of ours.
std::optional<bool> readWhere(const Node& document, const char* key) {
  const std::string text = document.text(key);
  if (text.empty()) return std::nullopt;
  if (text != "arena" && text != "external") {
    refuse(fmt::format("expected 'arena' or 'external', found '{}'", printable(text)), key);
  }
  return text == "arena";
}

PlanDocument readDocument(const ParsedJson& json) {
  const Node document(json, "");
  checkHeader(document);
  PlanDocument plan{.allocator = document.text("allocator"),
                    .alignment = document.bytes("alignment"),
                    .status = document.text("status"),
                    .lowerBound = document.bytes("lower_bound"),
                    .alias = document.text("alias"),
                    .planInputs = readWhere(document, "inputs"),
                    .planOutputs = readWhere(document, "outputs")};
  if (plan.alignment == Bytes(0)) refuse("the alignment is 0; expected at least 1", "alignment");
  if (const ParsedJson* model = document.find("model")) {
    const Node node(*model, "model");
    plan.modelName = node.text("name");
    plan.modelSha256 = node.text("sha256");
  }
  document.forEach("pools", [&](const Node& node) {
    plan.pools.push_back({.name = node.text("name"),
                          .capacity = node.bytes("capacity"),
                          .peak = node.bytes("peak")});
    if (plan.pools.back().name.empty()) refuse("a pool needs a name", node.where);
  });
  document.forEach("placements",
                   [&](const Node& node) { plan.placements.push_back(readPlacement(node)); });
  return plan;
}

bool looksLikeJson(std::string_view bytes) {
  const auto first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  return first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[');
}

}  // namespace

Result<PlanDocument> readPlan(std::string_view bytes) {
  if (trimText(bytes).empty()) {
    return fail(ErrorCode::malformed, "the file is empty; expected a plan, JSON or CSV");
  }
  if (!looksLikeJson(bytes)) return readPlanCsv(bytes);
  const auto json = parseJson(bytes);
  if (!json) return tl::unexpected(json.error());
  try {
    return readDocument(*json);
  } catch (const Refusal& refusal) {
    return tl::unexpected(refusal.error);
  }
}

}  // namespace hw
