#include "core/plan_file/plan_csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/csv.h"
#include "core/base/text.h"
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
  kOverlap,
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
  const std::string_view text = row.field(kOverlap);
  if (text.empty()) return {};
  const std::size_t at = std::min(text.rfind('@'), text.size());
  const std::string_view way = text.substr(std::min(at + 1, text.size()));
  HW_TRY(lower, row.number(kLower, 0, kMaxStep.count()));
  if (at == 0 || !lower || (way != kernelWay(true) && way != kernelWay(false))) {
    return row.refuse(
        fmt::format("has overlap '{}'; expected an input and how the kernel runs, "
                    "such as t3@forward, and a column 'lower'",
                    printable(text, 40)));
  }
  plan.overlaps.push_back({.output = place.tensor,
                           .input = std::string(text.substr(0, at)),
                           .step = Step(*lower),
                           .forward = way == kernelWay(true),
                           .where = place.where});
  return {};
}

/// Where some are held channels last, the plan is of the model held so.
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

}  // namespace

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

}  // namespace hw
