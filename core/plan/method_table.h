#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/base/id.h"
#include "core/base/quantity.h"

namespace hw {

/// A cell of a method's own table. Stays are kept as ids, so that views can show their names and
/// link them; bytes so that they can be formatted.
using MethodCell = std::variant<std::string, std::int64_t, Bytes, StayId>;

/// What a method writes down while it works: the mapping table of block ids, the two stacks step by
/// step, the sequences a search tried. Shown as it is in the studio and in JSON.
struct MethodTable {
  std::string name{};  ///< "mapping", "capacity", "stacks", …
  std::string summary{};
  std::vector<std::string> columns{};
  std::vector<std::vector<MethodCell>> rows{};
  bool truncated = false;  ///< There was more; tables stop at kMaxMethodRows.
};

inline constexpr std::size_t kMaxMethodRows = 20'000;

/// Appends a row unless the table is full.
inline void addRow(MethodTable& table, std::vector<MethodCell> row) {
  if (table.rows.size() < kMaxMethodRows) {
    table.rows.push_back(std::move(row));
  } else {
    table.truncated = true;
  }
}

}  // namespace hw
