#include "core/report/plan_csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/csv.h"
#include "core/base/text.h"

namespace hw {
namespace {

enum Column : std::size_t { kId, kOffset, kLower, kUpper, kSize, kAlignment, kGaps, kPool, kCount };
constexpr std::array<std::string_view, kCount> kNames = {"id",   "offset",    "lower", "upper",
                                                         "size", "alignment", "gaps",  "pool"};

/// Field numbers by column; nothing where the file has no such column.
using Header = std::array<std::optional<std::size_t>, kCount>;

Result<Header> readHeader(const CsvLine& line) {
  Header header;
  for (std::size_t field = 0; field < line.fields.size(); ++field) {
    std::string_view name = trimText(line.fields[field]);
    if (name == "tensor" || name == "name") name = kNames[kId];
    const auto known = std::ranges::find(kNames, name);
    if (known == kNames.end()) continue;
    auto& place = header[static_cast<std::size_t>(known - kNames.begin())];
    if (place) {
      return fail(ErrorCode::malformed, fmt::format("column '{}' appears twice", name), "line 1");
    }
    place = field;
  }
  for (const Column column : {kId, kOffset}) {
    if (header[column]) continue;
    return fail(ErrorCode::malformed,
                fmt::format("column '{}' is missing; expected a plan in JSON, or CSV with columns "
                            "id and offset",
                            kNames[column]),
                fmt::format("line {}", line.number));
  }
  return header;
}

/// One row: fields by column, and words for what is wrong with them.
class Row {
 public:
  Row(const CsvLine& line, const Header& header)
      : line_(line), header_(header), where_(fmt::format("line {}", line.number)) {}

  std::string_view field(Column column) const {
    return header_[column] ? trimText(line_.fields[*header_[column]]) : std::string_view();
  }

  /// Nothing when the field is absent or empty.
  Result<std::optional<std::int64_t>> number(Column column, std::int64_t most) const {
    const std::string_view text = field(column);
    if (text.empty()) return std::nullopt;
    const auto value = parseInteger(text);
    if (value && *value >= 0 && *value <= most) return *value;
    return refuse(fmt::format("has {} '{}'; expected a whole number from 0 to {}", kNames[column],
                              printable(text, 40), most));
  }

  tl::unexpected<Error> refuse(const std::string& what) const {
    return fail(ErrorCode::malformed, fmt::format("row '{}' {}", printable(field(kId)), what),
                where_);
  }

  const std::string& where() const { return where_; }

 private:
  const CsvLine& line_;
  const Header& header_;
  std::string where_;
};

bool isIdColumn(const CsvLine& line, const Header& header) {
  return trimText(line.fields[*header[kId]]) == kNames[kId];
}

bool isTensorId(std::string_view text) {
  const auto number = text.starts_with('t') ? parseInteger(text.substr(1)) : std::nullopt;
  return number && *number >= 0;
}

using Stretches = std::vector<Interval<Step>>;

/// The steps of the row without its gaps; nothing when the file does not say.
Result<std::optional<Stretches>> readSteps(const Row& row) {
  const auto lower = row.number(kLower, kMaxStep.count());
  if (!lower) return tl::unexpected(lower.error());
  const auto upper = row.number(kUpper, kMaxStep.count());
  if (!upper) return tl::unexpected(upper.error());
  if (!*lower || !*upper) return std::nullopt;
  if (**lower >= **upper) {
    return row.refuse(
        fmt::format("has lower {} and upper {}; expected lower < upper", **lower, **upper));
  }
  Stretches live;
  Step begin(**lower);
  for (const std::string_view word : splitText(row.field(kGaps), ' ')) {
    if (word.empty()) continue;
    const auto ends = splitText(word, '-');
    const auto from = parseInteger(ends[0]);
    const auto to = ends.size() == 2 ? parseInteger(ends[1]) : std::nullopt;
    if (!from || !to || *from < begin.count() || *from >= *to || *to > **upper) {
      return row.refuse(fmt::format("has gap '{}'; expected a-b, ascending and within its steps",
                                    printable(word, 40)));
    }
    if (begin < Step(*from)) live.push_back({begin, Step(*from)});
    begin = Step(*to);
  }
  if (begin < Step(**upper)) live.push_back({begin, Step(**upper)});
  return live;
}

/// Adds the placements of one row: one for each stretch of steps.
Result<void> addRow(const Row& row, PlanDocument& plan) {
  Placement placement{.tensor = std::string(row.field(kId)),
                      .pool = std::string(row.field(kPool)),
                      .where = row.where()};
  if (placement.tensor.empty()) return row.refuse("has an empty id");
  const auto offset = row.number(kOffset, kMaxBytes.count());
  if (!offset) return tl::unexpected(offset.error());
  if (!*offset) return {};  // Not placed; the audit will miss it.
  placement.offset = Bytes(**offset);
  const auto size = row.number(kSize, kMaxBytes.count());
  if (!size) return tl::unexpected(size.error());
  if (*size) placement.size = Bytes(**size);
  const auto alignment = row.number(kAlignment, kMaxBytes.count());
  if (!alignment) return tl::unexpected(alignment.error());
  if (*alignment && **alignment > 0) {
    placement.alignment = Bytes(**alignment);
    // Which slices may share depends on it: the strictest row speaks for the plan.
    plan.alignment = std::max(plan.alignment.value_or(Bytes(1)), Bytes(**alignment));
  }
  const auto steps = readSteps(row);
  if (!steps) return tl::unexpected(steps.error());
  if (!*steps) plan.placements.push_back(placement);
  for (const Interval<Step>& live : steps->value_or(Stretches())) {
    placement.first = live.begin;
    placement.last = live.end - Step(1);
    plan.placements.push_back(placement);
  }
  return {};
}

}  // namespace

Result<PlanDocument> readPlanCsv(std::string_view bytes) {
  const std::vector<CsvLine> lines = csvLines(bytes);
  if (lines.empty()) return fail(ErrorCode::malformed, "the file is empty; expected a plan");
  const auto header = readHeader(lines.front());
  if (!header) return tl::unexpected(header.error());
  PlanDocument plan{.buffersOnly = true, .byId = isIdColumn(lines.front(), *header)};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const CsvLine& line = lines[i];
    if (line.fields.size() != lines.front().fields.size()) {
      return fail(ErrorCode::malformed,
                  fmt::format("the row has {} fields; expected {}", line.fields.size(),
                              lines.front().fields.size()),
                  fmt::format("line {}", line.number));
    }
    const Row row(line, *header);
    plan.byId &= isTensorId(row.field(kId));
    if (auto added = addRow(row, plan); !added) return tl::unexpected(added.error());
  }
  return plan;
}

}  // namespace hw
