#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/check.h"
#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/quantity.h"

namespace hw {

/// The kind of the values of a column, with their unit: how people read and sort them.
enum class ColumnKind {
  text,
  flag,
  range,  ///< A text of two numbers: "0-3".
  count,
  bytes,
  amount,   ///< Bytes of which people need the magnitude only: "3.06 MiB".
  address,  ///< Bytes from the start of a pool.
  step,
  time,     ///< Picoseconds, simulated.
  seconds,  ///< Of a clock.
  ratio,    ///< Of a whole, in [0, 1].
  excess,   ///< Above a whole: 0.04 is 4 % more.
};

constexpr bool isNumber(ColumnKind kind) { return kind >= ColumnKind::count; }
/// Numbers stand at the right of a table, words at the left.
constexpr bool standsRight(ColumnKind kind) { return kind >= ColumnKind::range; }

/// One cell of a table of results: a text, a flag or a number, or nothing where its column does not
/// apply to its row. An empty text is nothing.
struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string> held{};

  // Implicit, so that a column is declared by the member that it shows.
  Value() = default;
  Value(std::same_as<bool> auto flag) : held(flag) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Value(Number number)
      : held(static_cast<std::int64_t>(number)) {}
  Value(double number) : held(number) {}
  template <class Unit>
  Value(Quantity<Unit> quantity) : held(quantity.count()) {}
  Value(std::string text) {
    if (!text.empty()) held = std::move(text);
  }
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(const char* text) : Value(std::string(text)) {}
  template <class Inner>
  Value(const std::optional<Inner>& value) {
    if (value) *this = Value(*value);
  }

  bool isNone() const { return held.index() == 0; }
  /// Null for what is no text.
  const std::string* text() const { return std::get_if<std::string>(&held); }
  /// Nothing for what is no number; whole ones of any size.
  std::optional<std::int64_t> whole() const;
  std::optional<double> number() const;
  /// As files have it: plain digits, "true", a text as it is; empty for nothing.
  std::string exact() const;
  Json json() const;

  friend auto operator<=>(const Value&, const Value&) = default;
};

/// A column of a table of results. Declared once, and read by all that show or write such rows:
/// text, CSV, JSON, reports, the studio.
template <class Row>
struct Column {
  std::string key{};    ///< In files, filters and settings; with its unit where that is a choice.
  std::string title{};  ///< For people; headings of the studio begin with a capital letter.
  ColumnKind kind = ColumnKind::text;
  std::function<Value(const Row&)> value{};
  std::string meaning{};  ///< What it says and how it is defined, for a tool tip.
};

template <class Row>
using Columns = std::vector<Column<Row>>;

/// The columns that `keys` name, in that order.
template <class Row>
Columns<Row> pick(const Columns<Row>& columns, const std::vector<std::string>& keys) {
  Columns<Row> picked;
  for (const std::string& key : keys) {
    const auto found = std::ranges::find(columns, key, &Column<Row>::key);
    check(found != columns.end(), "a column of that key");
    picked.push_back(*found);
  }
  return picked;
}

/// The columns of another row, which `inner` finds: a pointer or an optional; nothing has no
/// values.
template <class Row, class Inner, class Find>
Columns<Row> columnsVia(const Columns<Inner>& columns, const Find& find) {
  Columns<Row> seen;
  for (const Column<Inner>& column : columns) {
    const auto value = [find, inner = column.value](const Row& row) {
      const auto& found = find(row);
      return found ? inner(*found) : Value();
    };
    seen.push_back({column.key, column.title, column.kind, value, column.meaning});
  }
  return seen;
}

/// A column of other rows that says the same as the one that `key` names.
template <class Row, class Other>
Column<Row> like(const Columns<Other>& columns, const std::string& key,
                 std::type_identity_t<std::function<Value(const Row&)>> value) {
  const Column<Other> column = pick(columns, {key}).front();
  return {column.key, column.title, column.kind, std::move(value), column.meaning};
}

/// One line of CSV: fields in quotes where they need them, and a line feed.
std::string csvLine(const std::vector<std::string>& fields);

template <class Row>
std::string csvHeader(const Columns<Row>& columns) {
  std::vector<std::string> keys;
  for (const Column<Row>& column : columns) keys.push_back(column.key);
  return csvLine(keys);
}

template <class Row>
std::string csvRow(const Columns<Row>& columns, const Row& row) {
  std::vector<std::string> fields;
  for (const Column<Row>& column : columns) fields.push_back(column.value(row).exact());
  return csvLine(fields);
}

/// An object by key; null where there is no value.
template <class Row>
Json jsonRow(const Columns<Row>& columns, const Row& row) {
  Json object = Json::object();
  for (const Column<Row>& column : columns) object[column.key] = column.value(row).json();
  return object;
}

/// Removes the keys without a value: for those that are only there where they apply.
void dropNulls(Json& object, std::initializer_list<const char*> keys);

}  // namespace hw
