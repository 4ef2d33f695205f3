#include "core/plan_file/plan_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/plan_file/dsa_plan.h"
#include "core/plan_file/tensor_names.h"

namespace hw {
namespace {

enum Field : std::size_t {
  kId,
  kOffset,
  kLower,
  kUpper,
  kSize,
  kAlignment,
  kGaps,
  kPool,
  kMoves,
  kOverlapping,
  kLayout,
  kCount
};
constexpr std::array<std::string_view, kCount> kPlanColumns = {
    "id",   "offset", "lower", "upper",   "size",  "alignment",
    "gaps", "pool",   "moves", "overlap", "layout"};

using Stretches = std::vector<Interval<Step>>;

/// The steps of the row without its gaps; nothing when the file does not say.
Result<std::optional<Stretches>> readSteps(const CsvTable& row) {
  HW_TRY(lower, row.number(kLower, 0, kMaxStep.count()));
  HW_TRY(upper, row.number(kUpper, 0, kMaxStep.count()));
  if (!lower || !upper) return std::nullopt;
  if (*lower >= *upper) {
    return row.refuse(
        fmt::format("has lower {} and upper {}; expected lower < upper", *lower, *upper));
  }
  Stretches live;
  Step begin(*lower);
  for (const std::string_view word : splitText(row.field(kGaps), ' ')) {
    if (word.empty()) continue;
    const auto ends = splitText(word, '-');
    const auto from = parseInteger(ends[0]);
    const auto to = ends.size() == 2 ? parseInteger(ends[1]) : std::nullopt;
    if (!from || !to || *from < begin.count() || *from >= *to || *to > *upper) {
      return row.refuse(fmt::format("has gap '{}'; expected a-b, ascending and within its steps",
                                    printable(word, 40)));
    }
    if (begin < Step(*from)) live.push_back({begin, Step(*from)});
    begin = Step(*to);
  }
  if (begin < Step(*upper)) live.push_back({begin, Step(*upper)});
  return live;
}

/// "L3@4 L3@9": what moves to the place of the row, from which pool at which step.
Result<void> addMoves(const CsvTable& row, const Placement& place, PlanDocument& plan) {
  for (const std::string_view word : splitText(row.field(kMoves), ' ')) {
    if (word.empty()) continue;
    const std::size_t at = word.rfind('@');
    const auto step =
        at == std::string_view::npos ? std::nullopt : parseInteger(word.substr(at + 1));
    if (!step || *step < 0 || *step > kMaxStep.count()) {
      return row.refuse(fmt::format("has move '{}'; expected a pool and a step, such as L3@4",
                                    printable(word, 40)));
    }
    plan.moves.push_back({.tensor = place.tensor,
                          .from = std::string(word.substr(0, at)),
                          .to = place.pool,
                          .step = Step(*step),
                          .where = place.where});
  }
  return {};
}

/// "t3@forward": the input that shares bytes with what the row places, where it begins.
Result<void> addOverlap(const CsvTable& row, const Placement& place, PlanDocument& plan) {
  const std::string_view text = row.field(kOverlapping);
  if (text.empty()) return {};
  const std::size_t at = std::min(text.rfind('@'), text.size());
  const auto way = overlapWayNamed(text.substr(std::min(at + 1, text.size())));
  HW_TRY(lower, row.number(kLower, 0, kMaxStep.count()));
  if (at == 0 || !lower || !way) {
    return row.refuse(
        fmt::format("has overlap '{}'; expected an input and how the kernel runs, "
                    "such as t3@forward, and a column 'lower'",
                    printable(text, 40)));
  }
  plan.overlaps.push_back({.output = place.tensor,
                           .input = std::string(text.substr(0, at)),
                           .step = Step(*lower),
                           .way = *way,
                           .where = place.where});
  return {};
}

/// A plan that holds some tensors channels last belongs to the model in that layout.
Result<void> readLayout(const CsvTable& row, PlanDocument& plan) {
  const std::string_view text = row.field(kLayout);
  if (text.empty()) return {};
  if (text != kNhwc) {
    return row.refuse(fmt::format("has layout '{}'; expected {}, or nothing: as the model has it",
                                  printable(text, 40), kNhwc));
  }
  plan.settings["layout"] = {std::string(kNhwc)};
  return {};
}

/// Adds the placements of one row: one for each stretch of steps.
Result<void> addRow(const CsvTable& row, PlanDocument& plan) {
  Placement placement{.tensor = std::string(row.field(kId)),
                      .pool = std::string(row.field(kPool)),
                      .where = row.where()};
  if (placement.tensor.empty()) return row.refuse("has an empty id");
  HW_TRY(offset, row.number(kOffset, 0, kMaxBytes.count()));
  if (!offset) return {};  // Not placed; the audit will miss it.
  placement.offset = Bytes(*offset);
  HW_TRY(size, row.number(kSize, 0, kMaxBytes.count()));
  if (size) placement.size = Bytes(*size);
  HW_TRY(alignment, row.number(kAlignment, 0, kMaxBytes.count()));
  if (alignment && *alignment > 0) {
    placement.alignment = Bytes(*alignment);
    // Which slices may share depends on it: the strictest row speaks for the plan.
    plan.alignment = std::max(plan.alignment.value_or(Bytes(1)), Bytes(*alignment));
  }
  HW_DO(addMoves(row, placement, plan));
  HW_DO(addOverlap(row, placement, plan));
  HW_DO(readLayout(row, plan));
  HW_TRY(steps, readSteps(row));
  if (!steps) plan.placements.push_back(placement);
  for (const Interval<Step>& live : steps.value_or(Stretches())) {
    placement.first = live.begin;
    placement.last = live.end - Step(1);
    plan.placements.push_back(placement);
  }
  return {};
}

/// Reads a plan in MiniMalloc's CSV form: columns `id` (or `tensor`, `name`) and `offset`, and if
/// present `lower`, `upper` (half-open), `size`, `alignment`, `gaps` and `pool`, in any order. When
/// every `id` reads "t12" they are tensor ids, which is how we write them; otherwise names.
Result<PlanDocument> readPlanCsv(std::string_view bytes) {
  CsvTable table(bytes, {.names = kPlanColumns,
                         .required = {kId, kOffset},
                         .expected = "a plan in JSON, or CSV with columns id and offset",
                         .row = "row",
                         .others = {{"tensor", "id"}, {"name", "id"}}});
  HW_TRY(hasHeader, table.readHeader());
  if (!hasHeader) return fail(ErrorCode::malformed, "the file is empty; expected a plan");
  PlanDocument plan{.buffersOnly = true, .byId = table.title(kId) == kPlanColumns[kId]};
  for (;;) {
    HW_TRY(any, table.next());
    if (!any) return plan;
    plan.byId &= isTensorIdText(table.field(kId));
    HW_DO(addRow(table, plan));
  }
}

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
  if (placement.tensor.empty()) node.refuse("a placement needs a tensor");
  const auto offset = node.bytes("offset");
  if (!offset) node.refuse("the placement of '{}' needs an offset", printable(placement.tensor));
  placement.offset = *offset;
  if (placement.first && placement.last && *placement.last < *placement.first) {
    node.refuse("'{}' is placed from step {} to {}; expected first <= last",
                printable(placement.tensor), placement.first->count(), placement.last->count());
  }
  return placement;
}

StatedMove readMove(const JsonNode& node) {
  StatedMove move{.tensor = node.object().text("tensor"),
                  .from = node.text("from"),
                  .to = node.text("to"),
                  .where = node.where};
  if (move.tensor.empty()) node.refuse("a move needs a tensor");
  const auto step = node.step("step");
  if (!step) node.refuse("the move of '{}' needs a step", printable(move.tensor));
  move.step = *step;
  return move;
}

StatedOverlap readOverlap(const JsonNode& node) {
  StatedOverlap overlap{
      .output = node.object().text("output"), .input = node.text("input"), .where = node.where};
  if (overlap.output.empty() || overlap.input.empty()) {
    node.refuse("an overlap needs an output and an input");
  }
  const auto step = node.step("step");
  if (!step) node.refuse("the overlap of '{}' needs a step", printable(overlap.output));
  overlap.step = *step;
  const std::string kernel = node.text("kernel");
  if (const auto way = overlapWayNamed(kernel)) {
    overlap.way = *way;
  } else {
    node.refuse(
        "the overlap of '{}' is made by a kernel that runs '{}'; expected forward, "
        "reverse or parts",
        printable(overlap.output), printable(kernel, 40));
  }
  return overlap;
}

/// The place of inputs or outputs, as the option of the same name takes it.
std::optional<bool> readWhere(const JsonNode& document, const char* key,
                              bool (RunRequest::*does)() const) {
  const std::string text = document.text(key);
  if (text.empty()) return std::nullopt;
  RunRequest said;
  if (const auto done = findOption(key)->read({text}, said); !done) {
    refuse(done.error().message, key);
  }
  return (said.*does)();
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

PlanDocument readDsaPlan(const JsonNode& document, const JsonLists& lists) {
  PlanDocument plan{.dsa = readDsaClaims(document)};
  lists.forEach(document, "placements",
                [&](const JsonNode& node) { plan.placements.push_back(readDsaPlacement(node)); });
  return plan;
}

PlanDocument readDocument(const ParsedJson& json, const JsonLists& lists) {
  const JsonNode document{json};
  document.object();
  if (isDsaSolution(document)) return readDsaPlan(document, lists);
  checkHeader(document);
  PlanDocument plan{.allocator = document.text("allocator"),
                    .alignment = document.bytes("alignment"),
                    .status = document.text("status"),
                    .lowerBound = document.bytes("lower_bound"),
                    .alias = document.text("alias"),
                    .planInputs = readWhere(document, "inputs", &RunRequest::plansInputs),
                    .planOutputs = readWhere(document, "outputs", &RunRequest::plansOutputs)};
  if (plan.alignment == Bytes(0)) refuse("the alignment is 0; expected at least 1", "alignment");
  if (const auto model = document.find("model")) {
    plan.modelName = model->object().text("name");
    plan.modelSha256 = model->text("sha256");
  }
  if (const auto settings = document.find("settings")) plan.settings = readSettings(*settings);
  if (const auto order = document.find("order")) {
    lists.forEach(order->object(), "schedule", [&](const JsonNode& op) {
      plan.schedule.emplace_back(static_cast<std::size_t>(op.count(kMaxStep.count())));
    });
  }
  document.forEach("pools", [&](const JsonNode& node) {
    plan.pools.push_back({.name = node.object().text("name"),
                          .capacity = node.bytes("capacity"),
                          .peak = node.bytes("peak")});
    if (plan.pools.back().name.empty()) node.refuse("a pool needs a name");
  });
  const auto readList = [&](const char* key, auto& all, const auto& read) {
    lists.forEach(document, key, [&](const JsonNode& node) { all.push_back(read(node)); });
  };
  readList("placements", plan.placements, readPlacement);
  readList("moves", plan.moves, readMove);
  readList("overlaps", plan.overlaps, readOverlap);
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
  const JsonLists lists{bytes, kPlanLists};
  HW_TRY(json, parseJson(lists.text, lists.keys));
  return unlessRefused([&] { return readDocument(json, lists); });
}

}  // namespace hw
