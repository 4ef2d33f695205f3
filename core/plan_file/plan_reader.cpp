#include "core/plan_file/plan_reader.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/csv.h"
#include "core/base/json_node.h"
#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/plan_file/plan_csv_reader.h"

namespace hw {
namespace {

void checkHeader(const JsonNode& document) {
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
  if (!document.find("placements")) {
    refuse("\"placements\" is missing; expected a plan with an array of them", "");
  }
}

Placement readPlacement(const JsonNode& node) {
  Placement placement{.tensor = node.object().text("tensor"),
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

StatedMove readMove(const JsonNode& node) {
  StatedMove move{.tensor = node.object().text("tensor"),
                  .from = node.text("from"),
                  .to = node.text("to"),
                  .where = node.where};
  if (move.tensor.empty()) refuse("a move needs a tensor", node.where);
  const auto step = node.step("step");
  if (!step) {
    refuse(fmt::format("the move of '{}' needs a step", printable(move.tensor)), node.where);
  }
  move.step = *step;
  return move;
}

StatedOverlap readOverlap(const JsonNode& node) {
  StatedOverlap overlap{
      .output = node.object().text("output"), .input = node.text("input"), .where = node.where};
  if (overlap.output.empty() || overlap.input.empty()) {
    refuse("an overlap needs an output and an input", node.where);
  }
  const auto step = node.step("step");
  if (!step) {
    refuse(fmt::format("the overlap of '{}' needs a step", printable(overlap.output)), node.where);
  }
  overlap.step = *step;
  const std::string kernel = node.text("kernel");
  overlap.forward = kernel == kernelWay(true);
  if (!overlap.forward && kernel != kernelWay(false)) {
    refuse(fmt::format("the overlap of '{}' is made by a kernel that runs '{}'; expected forward "
                       "or reverse",
                       printable(overlap.output), printable(kernel, 40)),
           node.where);
  }
  return overlap;
}

/// Where inputs or outputs live, as the option of the same name takes it.
std::optional<bool> readWhere(const JsonNode& document, const char* key, bool RunRequest::*place) {
  const std::string text = document.text(key);
  if (text.empty()) return std::nullopt;
  RunRequest said;
  if (const auto done = findOption(key)->read({text}, said); !done) {
    refuse(done.error().message, key);
  }
  return said.*place;
}

OptionTexts readSettings(const JsonNode& settings) {
  OptionTexts texts;
  for (const auto& [name, value] : settings.object().value.items()) {
    const JsonNode node{value, "settings." + name};
    auto& all = texts[name];
    if (value.is_array()) {
      node.forEach([&](const JsonNode& each) { all.push_back(each.text()); });
    } else {
      all.push_back(node.text());
    }
  }
  return texts;
}

PlanDocument readDocument(const ParsedJson& json) {
  const JsonNode document{json};
  document.object();
  checkHeader(document);
  PlanDocument plan{.allocator = document.text("allocator"),
                    .alignment = document.bytes("alignment"),
                    .status = document.text("status"),
                    .lowerBound = document.bytes("lower_bound"),
                    .alias = document.text("alias"),
                    .planInputs = readWhere(document, "inputs", &RunRequest::planInputs),
                    .planOutputs = readWhere(document, "outputs", &RunRequest::planOutputs)};
  if (plan.alignment == Bytes(0)) refuse("the alignment is 0; expected at least 1", "alignment");
  if (const auto model = document.find("model")) {
    plan.modelName = model->object().text("name");
    plan.modelSha256 = model->text("sha256");
  }
  if (const auto settings = document.find("settings")) plan.settings = readSettings(*settings);
  if (const auto order = document.find("order")) {
    order->object().forEach("schedule", [&](const JsonNode& op) {
      plan.schedule.emplace_back(static_cast<std::size_t>(op.count(kMaxStep.count())));
    });
  }
  document.forEach("pools", [&](const JsonNode& node) {
    plan.pools.push_back({.name = node.object().text("name"),
                          .capacity = node.bytes("capacity"),
                          .peak = node.bytes("peak")});
    if (plan.pools.back().name.empty()) refuse("a pool needs a name", node.where);
  });
  document.forEach("placements",
                   [&](const JsonNode& node) { plan.placements.push_back(readPlacement(node)); });
  document.forEach("moves", [&](const JsonNode& node) { plan.moves.push_back(readMove(node)); });
  document.forEach("overlaps",
                   [&](const JsonNode& node) { plan.overlaps.push_back(readOverlap(node)); });
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
  HW_TRY(json, parseJson(bytes));
  return unlessRefused([&] { return readDocument(json); });
}

}  // namespace hw
