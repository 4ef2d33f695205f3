#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"

// The output of Vela with --verbose-allocation: a table for each memory,
//
//   Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator HillClimb, in …
//   Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : Name
//            0 -          3:     0x1000 -     0x3400:        9216:        18432: FeatureMap  :
//            conv1
//   …
//   Allocation Peak Memory Usage:     55296 (    0xd800) Bytes    54.00 KiB

namespace hw {
namespace {

constexpr std::string_view kTableMark = "Tensor Allocation for mem_area ";
constexpr std::string_view kPeakMark = "Allocation Peak Memory Usage:";

/// "0x3400" or "12".
std::optional<std::int64_t> velaNumber(std::string_view text) {
  text = trimText(text);
  if (!text.starts_with("0x")) return parseInteger(text);
  text.remove_prefix(2);
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && !(c >= 'a' && c <= 'f')) return std::nullopt;
    value = value * 16 + (digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

struct VelaRange {
  std::int64_t begin = 0, end = 0;
};

std::optional<VelaRange> velaRange(std::string_view text) {
  const std::size_t dash = text.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto begin = velaNumber(text.substr(0, dash));
  const auto end = velaNumber(text.substr(dash + 3));
  if (!begin || !end) return std::nullopt;
  return VelaRange{*begin, *end};
}

/// A row of a table; nothing where the line is something else.
std::optional<PlannedRow> velaRow(std::string_view line) {
  // Times, addresses, size, usage, purpose; what is left is the name, colons and all.
  std::string_view cells[5];
  for (std::string_view& cell : cells) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    cell = line.substr(0, colon);
    line.remove_prefix(colon + 1);
  }
  const auto times = velaRange(cells[0]);
  const auto addresses = velaRange(cells[1]);
  const auto size = velaNumber(cells[2]);
  if (!times || !addresses || !size || !velaNumber(cells[3])) return std::nullopt;
  const std::string purpose(trimText(cells[4]));
  PlannedRow row{.name = std::string(trimText(line)),
                 .first = times->begin,
                 .last = times->end,
                 .size = Bytes(*size),
                 .offset = Bytes(addresses->begin)};
  if (purpose != "FeatureMap") row.name += " (" + purpose + ")";
  return row;
}

struct VelaTable {
  std::string title{};
  std::vector<PlannedRow> rows{};
  std::optional<std::int64_t> peak{};
};

Result<std::vector<VelaTable>> velaTables(std::string_view text) {
  constexpr std::size_t kMostTables = 256;
  std::vector<VelaTable> tables;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(kTableMark)) {
      if (tables.size() >= kMostTables) {
        return fail(ErrorCode::unsupported, "the log has more than 256 tables",
                    fmt::format("line {}", number));
      }
      const std::string_view rest = line.substr(kTableMark.size());
      tables.push_back({.title = std::string(rest.substr(0, rest.find(", using")))});
    } else if (!tables.empty() && line.starts_with(kPeakMark)) {
      const std::string_view rest = trimText(line.substr(kPeakMark.size()));
      tables.back().peak = parseInteger(rest.substr(0, rest.find(' ')));
    } else if (auto row = tables.empty() ? std::nullopt : velaRow(line)) {
      tables.back().rows.push_back(std::move(*row));
    }
  }
  return tables;
}

/// "Sram" of "Sram, of mem_type_set (Scratch)"; numbered where several tables are of one memory.
void namePools(const std::vector<VelaTable>& tables, PlannedRows& plan) {
  for (const VelaTable& table : tables) {
    const std::string area = table.title.substr(0, table.title.find(','));
    std::string key = area;
    for (int n = 2; std::ranges::find(plan.pools, key, &ModelPart::key) != plan.pools.end(); ++n) {
      key = fmt::format("{} {}", area, n);
    }
    plan.pools.push_back({key, printable(table.title)});
  }
}

}  // namespace

bool acceptsVelaLog(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 4 * 1024 * 1024;
  const std::string_view text = bytes.substr(0, kLookedAt);
  const std::size_t at = text.find(kTableMark);
  return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n');
}

Result<Model> readVelaLog(std::string_view bytes, const ImportOptions& options) {
  HW_TRY(tables, velaTables(bytes));
  std::erase_if(tables, [](const VelaTable& table) { return table.rows.empty(); });
  if (tables.empty()) return fail(ErrorCode::malformed, "no table of the log has a row");
  PlannedRows plan{.format = "vela-log", .unknown = {"operators"}};
  namePools(tables, plan);
  const auto largest = std::ranges::max_element(
      tables, {}, [](const VelaTable& table) { return table.peak.value_or(0); });
  HW_TRY(pool,
         choosePool(plan, options.subgraph, static_cast<std::size_t>(largest - tables.begin())));
  VelaTable& table = tables[pool];
  plan.rows = std::move(table.rows);
  plan.notes.emplace_back("a step is a unit of Vela's own time");
  if (table.peak) {
    plan.notes.push_back(fmt::format("Vela says that it takes {} bytes", groupDigits(*table.peak)));
  }
  return planModel(std::move(plan));
}

}  // namespace hw
