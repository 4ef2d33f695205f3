#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// A stay of the method's own problem that the problem of the run has as a part of another: an
/// output that lies over its input, and that input.
struct StayPart {
  StayId stay{};           ///< Of the run: what it is a part of.
  TensorId tensor{};       ///< Whose name it has.
  Interval<Step> steps{};  ///< Its own life,
  Bytes size{};            ///< and its own size.
  friend auto operator<=>(const StayPart&, const StayPart&) = default;
};

/// A cell of a method's own table. Stays are kept as ids, so that views can show their names and
/// link them; bytes so that they can be formatted.
using MethodCell = std::variant<std::string, std::int64_t, Bytes, StayId, StayPart>;

/// The stay of the run that a cell is about; none: it is about none.
inline StayId stayOfCell(const MethodCell& cell) {
  if (const auto* part = std::get_if<StayPart>(&cell)) return part->stay;
  const auto* stay = std::get_if<StayId>(&cell);
  return stay != nullptr ? *stay : StayId();
}

/// The notes of a method while it works: the mapping table of block ids, the two stacks step by
/// step, the sequences a search tried. Shown as it is in the studio and in JSON.
struct MethodTable {
  std::string name{};  ///< "mapping", "capacity", "stacks", …
  std::string summary{};
  std::vector<std::string> columns{};
  std::vector<std::vector<MethodCell>> rows{};
  bool truncated = false;  ///< There was more; tables stop at kMaxMethodRows.
};

inline constexpr std::size_t kMaxMethodRows = 20'000;

/// Appends what `make` returns unless the table is full: then nothing is made.
template <std::invocable Make>
void addRow(MethodTable& table, const Make& make) {
  if (table.rows.size() < kMaxMethodRows) {
    table.rows.push_back(make());
  } else {
    table.truncated = true;
  }
}

inline void addRow(MethodTable& table, std::vector<MethodCell> row) {
  addRow(table, [&] { return std::move(row); });
}

}  // namespace hw
